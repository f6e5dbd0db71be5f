// An API that takes the access tokens of redmint.
package main

import (
    "encoding/json"
    "errors"
    "fmt"
    "log"
    "net/http"
    "net/url"
    "os"
    "slices"
    "strings"
    "time"
)

// What redmint says of a token.
type token struct {
    Active   bool            `json:"active"`
    Subject  string          `json:"sub"`
    ClientID string          `json:"client_id"`
    Scope    string          `json:"scope"`
    Audience audience        `json:"aud"`
    Bound    json.RawMessage `json:"cnf"`
}

// One audience, or several.
type audience []string

func (a *audience) UnmarshalJSON(data []byte) error {
    var one string
    if json.Unmarshal(data, &one) == nil {
        *a = audience{one}
        return nil
    }
    return json.Unmarshal(data, (*[]string)(a))
}

var client = &http.Client{Timeout: 5 * time.Second}

func main() {
    http.HandleFunc("GET /orders", needs("orders.read", orders))
    log.Fatal(http.ListenAndServe("localhost:"+os.Getenv("PORT"), nil))
}

func orders(w http.ResponseWriter, r *http.Request, t token) {
    w.Header().Set("Content-Type", "application/json")
    json.NewEncoder(w).Encode(map[string]string{"user": t.Subject, "client": t.ClientID})
}

// needs guards a handler: it is called with a token for this API that has the scope.
func needs(scope string, next func(http.ResponseWriter, *http.Request, token)) http.HandlerFunc {
    return func(w http.ResponseWriter, r *http.Request) {
        scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
        if !strings.EqualFold(scheme, "Bearer") || sent == "" {
            refuse(w, http.StatusUnauthorized, "Bearer")
            return
        }
        t, err := introspect(strings.TrimSpace(sent))
        if err != nil {
            log.Print(err)
            http.Error(w, "", http.StatusServiceUnavailable)
            return
        }
        // A token that is bound to a key (cnf) is worth nothing without the proof, which is not looked at here.
        if !t.Active || !slices.Contains(t.Audience, os.Getenv("RESOURCE")) || t.Bound != nil {
            refuse(w, http.StatusUnauthorized, `Bearer error="invalid_token"`)
            return
        }
        if !slices.Contains(strings.Fields(t.Scope), scope) {
            refuse(w, http.StatusForbidden, fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, scope))
            return
        }
        next(w, r, t)
    }
}

func introspect(sent string) (t token, err error) {
    form := strings.NewReader(url.Values{"token": {sent}}.Encode())
    request, err := http.NewRequest(http.MethodPost, os.Getenv("ISSUER")+"{{path.introspect}}", form)
    if err != nil {
        return t, err
    }
    request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
    request.SetBasicAuth(os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"))
    answer, err := client.Do(request)
    if err != nil {
        return t, err
    }
    defer answer.Body.Close()
    if answer.StatusCode != http.StatusOK {
        return t, errors.New("redmint does not introspect: " + answer.Status)
    }
    return t, json.NewDecoder(answer.Body).Decode(&t)
}

func refuse(w http.ResponseWriter, status int, challenge string) {
    w.Header().Set("WWW-Authenticate", challenge)
    w.WriteHeader(status)
}
