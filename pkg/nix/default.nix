{
  lib,
  stdenv,
  rustPlatform,
  fetchurl,
  installShellFiles,
}:

rustPlatform.buildRustPackage {
  pname = "urlgrep";
  version = "@VERSION@";

  src = fetchurl {
    url = "@REPOSITORY@/releases/download/v@VERSION@/urlgrep-@VERSION@-source.tar.gz";
    sha256 = "@SHA256@";
  };

  # The lock file of the source, so that no hash of all crates is needed.
  cargoLock.lockFile = ./Cargo.lock;

  buildType = "packaged";
  buildFeatures = [ "full" ];
  # The tests need other programs, and mail that is not in the source.
  doCheck = false;

  nativeBuildInputs = [ installShellFiles ];

  postInstall = lib.optionalString (stdenv.buildPlatform.canExecute stdenv.hostPlatform) ''
    $out/bin/urlgrep --generate man > urlgrep.1
    installManPage urlgrep.1
    installShellCompletion --cmd urlgrep \
      --bash <($out/bin/urlgrep --generate complete-bash) \
      --fish <($out/bin/urlgrep --generate complete-fish) \
      --zsh <($out/bin/urlgrep --generate complete-zsh)
  '';

  meta = {
    description = "Finds every URL in mail and Usenet text";
    homepage = "@REPOSITORY@";
    license = with lib.licenses; [
      mit
      asl20
    ];
    mainProgram = "urlgrep";
  };
}
