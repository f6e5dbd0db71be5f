// Reads the printed settings as kube-apiserver and kubectl do: the files are the first two arguments. The rest are tokens,
// which it authenticates as kube-apiserver does; it prints a line of JSON for each.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	"k8s.io/apiserver/pkg/authentication/cel"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
	"k8s.io/client-go/tools/clientcmd"
)

// How often it asks whether the authenticator has read the discovery document.
const attempts, pause = 300, 100 * time.Millisecond

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
	if len(os.Args) > 3 {
		authenticate(read.JWT[0], os.Args[3:])
	}
}

// The certificates of those who may sign that of redmint.
type authority string

func (a authority) CurrentCABundleContent() []byte { return []byte(a) }

func authenticate(jwt apiserver.JWTAuthenticator, tokens []string) {
	authenticator, err := oidc.New(context.Background(), oidc.Options{
		JWTAuthenticator:     jwt,
		CAContentProvider:    authority(jwt.Issuer.CertificateAuthority),
		SupportedSigningAlgs: oidc.AllValidSigningAlgorithms(),
	})
	must(err)
	for left := attempts; left > 0 && authenticator.HealthCheck() != nil; left-- {
		time.Sleep(pause)
	}
	must(authenticator.HealthCheck())
	for _, token := range tokens {
		answer, ok, err := authenticator.AuthenticateToken(context.Background(), token)
		shown := map[string]any{"ok": ok}
		if err != nil {
			shown["error"] = err.Error()
		}
		if ok {
			shown["user"], shown["groups"] = answer.User.GetName(), answer.User.GetGroups()
		}
		must(json.NewEncoder(os.Stdout).Encode(shown))
	}
}
