// Package orders is an API that answers who has a token for it, and the scope api.read.
package orders

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// Handler returns the API. Tokens are of this issuer, and name this audience.
func Handler(ctx context.Context, issuer, audience string) (http.Handler, error) {
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return nil, err
	}
	verifier := provider.VerifierContext(ctx, &oidc.Config{
		ClientID:             audience,
		SupportedSigningAlgs: []string{oidc.ES256},
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders", func(response http.ResponseWriter, request *http.Request) {
		var claims struct {
			ClientID string `json:"client_id"`
			Scope    string `json:"scope"`
		}
		bearer := strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")
		token, err := verifier.Verify(request.Context(), bearer)
		if err != nil || token.Claims(&claims) != nil || claims.ClientID == "" {
			http.Error(response, "invalid_token", http.StatusUnauthorized)
			return
		}
		if !slices.Contains(strings.Fields(claims.Scope), "api.read") {
			http.Error(response, "insufficient_scope", http.StatusForbidden)
			return
		}
		json.NewEncoder(response).Encode(map[string]string{"client": claims.ClientID})
	})
	return mux, nil
}
