// Reads the printed settings as kube-apiserver and kubectl do: the files are the arguments.
package main

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	"k8s.io/apiserver/pkg/authentication/cel"
	"k8s.io/client-go/tools/clientcmd"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder()
	text, err := os.ReadFile(os.Args[1])
	must(err)
	read := &apiserver.AuthenticationConfiguration{}
	must(runtime.DecodeInto(decoder, text, read))
	must(validation.ValidateAuthenticationConfiguration(cel.NewDefaultCompiler(), read, nil).ToAggregate())

	config, err := clientcmd.LoadFromFile(os.Args[2])
	must(err)
	must(clientcmd.Validate(*config))
	for name := range config.AuthInfos {
		fmt.Println(name, read.JWT[0].Issuer.URL)
	}
}
