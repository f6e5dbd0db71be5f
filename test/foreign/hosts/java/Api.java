// An API of Spring Boot that shows whose token it got; the printed files protect it.
package app;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
class Api {
  @GetMapping("/")
  Map<String, Object> home(AbstractOAuth2TokenAuthenticationToken<?> caller) {
    var authorities = caller.getAuthorities().stream().map(GrantedAuthority::getAuthority);
    var scopes = authorities.filter(name -> name.startsWith("SCOPE_")).toList();
    return Map.of("client_id", caller.getTokenAttributes().get("client_id"), "scopes", scopes);
  }

  public static void main(String[] args) {
    SpringApplication.run(Api.class, args);
  }
}
