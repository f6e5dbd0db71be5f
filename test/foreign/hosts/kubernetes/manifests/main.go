// Reads manifests from standard input as the API server of Kubernetes does, strictly: an unknown field, a field twice and
// a value of the wrong type are errors. Prints "Kind name" for each; kinds of no Kubernetes are left to their operators.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	failed := false
	for {
		document, err := documents.Read()
		if err == io.EOF {
			break
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		switch {
		case runtime.IsNotRegisteredError(err):
			fmt.Println("of an operator")
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			failed = true
		default:
			about, _ := meta.Accessor(object)
			fmt.Println(kind.Kind, about.GetName())
		}
	}
	if failed {
		os.Exit(1)
	}
}
