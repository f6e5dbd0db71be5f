package com.example.orders;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.security.oauth2.client.endpoint.RestClientTokenExchangeTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.TokenExchangeGrantRequest;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.core.OAuth2Token;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;
import org.springframework.stereotype.Component;
import org.springframework.util.LinkedMultiValueMap;

/** Gets tokens with which this API acts at another one, for the user of the token that it was called with (RFC 8693). */
@Component
class Acting {
  private final Map<String, RestClientTokenExchangeTokenResponseClient> exchanges = new ConcurrentHashMap<>();
  private final ClientRegistration redmint;

  Acting(ClientRegistrationRepository clients) {
    redmint = clients.findByRegistrationId("redmint");
  }

  /** Ask anew for each request: the token ends with that of the caller. An OAuth2AuthorizedClientManager would keep it. */
  String tokenFor(String resource, AbstractOAuth2TokenAuthenticationToken<?> caller) {
    var request = new TokenExchangeGrantRequest(redmint, (OAuth2Token) caller.getToken(), null);
    return exchanges.computeIfAbsent(resource, Acting::exchangeFor)
        .getTokenResponse(request)
        .getAccessToken()
        .getTokenValue();
  }

  private static RestClientTokenExchangeTokenResponseClient exchangeFor(String resource) {
    var exchange = new RestClientTokenExchangeTokenResponseClient();
    exchange.addParametersConverter(request -> new LinkedMultiValueMap<>(Map.of("resource", List.of(resource))));
    return exchange;
  }
}
