package com.example.orders;

import java.util.Map;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrdersController {
  @GetMapping("/orders")
  Map<String, Object> orders(AbstractOAuth2TokenAuthenticationToken<?> caller) {
    var token = caller.getTokenAttributes();
    return Map.of("user", token.getOrDefault("sub", ""), "client", token.get("client_id"));
  }
}
