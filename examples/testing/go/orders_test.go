package orders

import (
	"maps"
	"net/http/httptest"
	"testing"
)

const api = "https://api.demo.test"

func TestOrders(t *testing.T) {
	handler, err := Handler(t.Context(), redmint.Issuer, api)
	if err != nil {
		t.Fatal(err)
	}
	alice := map[string]string{"client": "demo-spa", "user": "alice", "resource": api, "scope": "api.read"}
	for name, test := range map[string]struct {
		wanted map[string]string
		status int
	}{
		"a token for it":  {nil, 200},
		"expired":         {map[string]string{"fault": "expired"}, 401},
		"not yet valid":   {map[string]string{"fault": "not_yet_valid"}, 401},
		"wrong audience":  {map[string]string{"fault": "wrong_aud"}, 401},
		"wrong issuer":    {map[string]string{"fault": "wrong_iss"}, 401},
		"wrong signature": {map[string]string{"fault": "wrong_signature"}, 401},
		"not signed":      {map[string]string{"fault": "alg_none"}, 401},
		"another scope":   {map[string]string{"scope": "openid"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			wanted := maps.Clone(alice)
			maps.Copy(wanted, test.wanted)
			request := httptest.NewRequest("GET", "/orders", nil)
			request.Header.Set("Authorization", "Bearer "+token(t, wanted))
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, request)
			if response.Code != test.status {
				t.Errorf("status %d, not %d", response.Code, test.status)
			}
		})
	}
}
