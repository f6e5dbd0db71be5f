// A web application whose users sign in at redmint.
package main

import (
    "context"
    "crypto/rand"
    "errors"
    "fmt"
    "html"
    "log"
    "net/http"
    "net/url"
    "os"
    "strings"
    "sync"

    "github.com/coreos/go-oidc/v3/oidc"
    "golang.org/x/oauth2"
)

// A browser that is signed in.
type session struct {
    sub, name, email, idToken string
    tokens                    oauth2.TokenSource
}

var (
    config   *oauth2.Config
    verifier *oidc.IDTokenVerifier
    // Sessions by the value of the cookie. A restart signs everybody out: keep them in a store of yours.
    sessions sync.Map
)

func main() {
    provider, err := oidc.NewProvider(context.Background(), os.Getenv("ISSUER"))
    if err != nil {
        log.Fatal(err)
    }
    config = &oauth2.Config{
        ClientID:     os.Getenv("CLIENT_ID"),
        ClientSecret: os.Getenv("CLIENT_SECRET"),
        RedirectURL:  os.Getenv("REDIRECT_URI"),
        Endpoint:     provider.Endpoint(),
        Scopes:       []string{{{quoted_scopes}}},
    }
    verifier = provider.Verifier(&oidc.Config{ClientID: config.ClientID})
    http.HandleFunc("GET /{$}", home)
    http.HandleFunc("GET /login", login)
    http.HandleFunc("GET /callback", callback)
    http.HandleFunc("GET /logout", logout)
    log.Printf("http://localhost:%s", os.Getenv("PORT"))
    log.Fatal(http.ListenAndServe("localhost:"+os.Getenv("PORT"), nil))
}

func home(w http.ResponseWriter, r *http.Request) {
    found, ok := sessions.Load(read(r, "session"))
    if !ok {
        say(w, http.StatusOK, `<p>Nobody is signed in.</p><a href="/login">Sign in</a>`)
        return
    }
    s := found.(*session)
    var refused *oauth2.RetrieveError
    // Who is disabled at redmint gets no new access token, and is out.
    if _, err := s.tokens.Token(); errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
        http.Redirect(w, r, "/logout", http.StatusSeeOther)
        return
    }
    name, email := html.EscapeString(s.name), html.EscapeString(s.email)
    say(w, http.StatusOK, fmt.Sprintf(`<p>%s %s</p><a href="/logout">Sign out</a>`, name, email))
}

func login(w http.ResponseWriter, r *http.Request) {
    state, nonce, pkce := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
    keep(w, "sign_in", strings.Join([]string{state, nonce, pkce}, "."), 600)
    http.Redirect(w, r, config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(pkce)), http.StatusFound)
}

func callback(w http.ResponseWriter, r *http.Request) {
    s, err := finish(r)
    keep(w, "sign_in", "", -1)
    if err != nil {
        // For example, the user pressed "Do not allow".
        log.Print("no sign-in: ", err)
        say(w, http.StatusForbidden, `<p>You are not signed in.</p><a href="/login">Try again</a>`)
        return
    }
    id := rand.Text()
    sessions.Store(id, s)
    keep(w, "session", id, 0)
    http.Redirect(w, r, "/", http.StatusFound)
}

// finish redeems the code of a sign-in that this browser began.
func finish(r *http.Request) (*session, error) {
    began := strings.Split(read(r, "sign_in"), ".")
    if len(began) != 3 || r.FormValue("state") != began[0] {
        return nil, errors.New("this browser began no such sign-in")
    }
    if r.FormValue("error") != "" {
        return nil, errors.New(r.FormValue("error"))
    }
    token, err := config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(began[2]))
    if err != nil {
        return nil, err
    }
    raw, _ := token.Extra("id_token").(string)
    idToken, err := verifier.Verify(r.Context(), raw)
    if err != nil {
        return nil, err
    }
    // Verify looks at neither.
    if idToken.Nonce != began[1] || idToken.Subject == "" {
        return nil, errors.New("the id_token is of another sign-in")
    }
    var claims struct{ Name, Email string }
    if err := idToken.Claims(&claims); err != nil {
        return nil, err
    }
    tokens := config.TokenSource(context.Background(), token)
    return &session{idToken.Subject, claims.Name, claims.Email, raw, tokens}, nil
}

func logout(w http.ResponseWriter, r *http.Request) {
    query := url.Values{"client_id": {config.ClientID}, "post_logout_redirect_uri": {os.Getenv("SIGNED_OUT_URI")}}
    if found, ok := sessions.LoadAndDelete(read(r, "session")); ok {
        query.Set("id_token_hint", found.(*session).idToken)
    }
    keep(w, "session", "", -1)
    http.Redirect(w, r, os.Getenv("ISSUER")+"{{path.end_session}}?"+query.Encode(), http.StatusFound)
}

func say(w http.ResponseWriter, status int, body string) {
    w.Header().Set("Content-Type", "text/html; charset=utf-8")
    w.WriteHeader(status)
    fmt.Fprint(w, body)
}

func keep(w http.ResponseWriter, name, value string, seconds int) {
    secure := strings.HasPrefix(config.RedirectURL, "https:")
    http.SetCookie(w, &http.Cookie{
        Name: name, Value: value, Path: "/", MaxAge: seconds,
        HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure,
    })
}

func read(r *http.Request, name string) string {
    if cookie, err := r.Cookie(name); err == nil {
        return cookie.Value
    }
    return ""
}
