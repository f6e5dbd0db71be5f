// Signs a user in with the OAuth 2.0 SDK of Nimbus, configured by the .env of `--for go`.
package app;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jwt.JWT;
import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.AuthorizationGrant;
import com.nimbusds.oauth2.sdk.RefreshTokenGrant;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.AuthenticationResponseParser;
import com.nimbusds.openid.connect.sdk.Nonce;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.UserInfoRequest;
import com.nimbusds.openid.connect.sdk.UserInfoResponse;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import net.minidev.json.JSONObject;

/** One user at a time: state, nonce and verifier are not in a session. */
class SignIn {
  static final Map<String, String> SETTINGS = System.getenv();
  static final ClientID CLIENT = new ClientID(SETTINGS.get("CLIENT_ID"));
  static final Secret SECRET = new Secret(SETTINGS.get("CLIENT_SECRET"));
  static final URI REDIRECT_URI = URI.create(SETTINGS.get("REDIRECT_URI"));
  static final State STATE = new State();
  static final Nonce NONCE = new Nonce();
  static final CodeVerifier VERIFIER = new CodeVerifier();

  public static void main(String[] args) throws Exception {
    var provider = OIDCProviderMetadata.resolve(new Issuer(SETTINGS.get("ISSUER")));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", REDIRECT_URI.getPort()), 0);
    server.createContext("/", exchange -> answer(exchange, () -> start(exchange, provider)));
    server.createContext("/callback", exchange -> answer(exchange, () -> finish(exchange, provider)));
    server.start();
  }

  static String start(HttpExchange exchange, OIDCProviderMetadata provider) {
    var scope = new Scope("openid", "profile", "email", "offline_access");
    var request = new AuthenticationRequest.Builder(ResponseType.CODE, scope, CLIENT, REDIRECT_URI)
        .endpointURI(provider.getAuthorizationEndpointURI())
        .state(STATE)
        .nonce(NONCE)
        .codeChallenge(VERIFIER, CodeChallengeMethod.S256)
        .build();
    exchange.getResponseHeaders().set("Location", request.toURI().toString());
    return "";
  }

  static String finish(HttpExchange exchange, OIDCProviderMetadata provider) throws Exception {
    var response = AuthenticationResponseParser.parse(REDIRECT_URI.resolve(exchange.getRequestURI()));
    if (!response.indicatesSuccess()) throw new Exception(response.toErrorResponse().getErrorObject().toString());
    if (!STATE.equals(response.getState())) throw new Exception("another state");
    AuthorizationCode code = response.toSuccessResponse().getAuthorizationCode();

    var tokens = redeem(provider, new AuthorizationCodeGrant(code, REDIRECT_URI, VERIFIER)).getOIDCTokens();
    JWT idToken = tokens.getIDToken();
    var keys = provider.getJWKSetURI().toURL();
    new IDTokenValidator(provider.getIssuer(), CLIENT, JWSAlgorithm.RS256, keys)
        .validate(idToken, NONCE);

    var request = new UserInfoRequest(provider.getUserInfoEndpointURI(), tokens.getAccessToken());
    var user = UserInfoResponse.parse(request.toHTTPRequest().send()).toSuccessResponse().getUserInfo();
    var next = redeem(provider, new RefreshTokenGrant(tokens.getRefreshToken())).getOIDCTokens();
    var shown = new JSONObject(user.toJSONObject());
    shown.put("refreshed", !next.getAccessToken().equals(tokens.getAccessToken()));
    return shown.toJSONString();
  }

  static OIDCTokenResponse redeem(OIDCProviderMetadata provider, AuthorizationGrant grant) throws Exception {
    var authentication = new ClientSecretBasic(CLIENT, SECRET);
    var request = new TokenRequest.Builder(provider.getTokenEndpointURI(), authentication, grant).build();
    var response = OIDCTokenResponseParser.parse(request.toHTTPRequest().send());
    if (!response.indicatesSuccess()) throw new Exception(response.toErrorResponse().getErrorObject().toString());
    return (OIDCTokenResponse) response.toSuccessResponse();
  }

  interface Page {
    String text() throws Exception;
  }

  static void answer(HttpExchange exchange, Page page) throws IOException {
    String text;
    try {
      text = page.text();
    } catch (Exception error) {
      text = error.toString();
    }
    exchange.sendResponseHeaders(exchange.getResponseHeaders().containsKey("Location") ? 302 : 200, 0);
    exchange.getResponseBody().write(text.getBytes());
    exchange.close();
  }
}
