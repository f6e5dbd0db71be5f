package main

import (
	"context"
	"os"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Connect returns the client, and the verifier of its id_tokens.
func Connect(ctx context.Context) (*oauth2.Config, *oidc.IDTokenVerifier, error) {
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		return nil, nil, err
	}
	config := &oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		RedirectURL:  os.Getenv("REDIRECT_URI"),
		Endpoint:     provider.Endpoint(),
		Scopes:       []string{"openid", "profile", "email", "offline_access"},
	}
	return config, provider.Verifier(&oidc.Config{ClientID: config.ClientID}), nil
}

// Start returns the address to send the browser to. Keep state, nonce and verifier in its session.
func Start(config *oauth2.Config, state, nonce, verifier string) string {
	return config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
}

// Finish redeems the code; verifier is that of Start.
func Finish(ctx context.Context, config *oauth2.Config, code, verifier string) (*oauth2.Token, error) {
	return config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
}
