// xurls, strict: URLs with a scheme. The command of the same name prints no offsets,
// so this calls the library that it is made of.
package main

import (
	"fmt"
	"os"

	"mvdan.cc/xurls/v2"
)

func main() {
	strict := xurls.Strict()
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		for _, span := range strict.FindAllIndex(text, -1) {
			fmt.Printf("%s\t%d\t%s\n", path, span[0], text[span[0]:span[1]])
		}
	}
}
