class Urlgrep < Formula
  desc "Finds every URL in mail and Usenet text"
  homepage "@REPOSITORY@"
  url "@REPOSITORY@/releases/download/v@VERSION@/urlgrep-@VERSION@-source.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", "--profile", "packaged", *std_cargo_args(features: "full")
    generate_completions_from_executable(bin/"urlgrep", "--generate", shell_parameter_format: "complete-")
    (man1/"urlgrep.1").write Utils.safe_popen_read(bin/"urlgrep", "--generate", "man")
  end

  test do
    (testpath/"mail").write "> The draft: <URL:http://www.example.org/drafts/\n> fields.html>\n"
    assert_equal "http://www.example.org/drafts/fields.html\n", shell_output("#{bin}/urlgrep mail")
  end
end
