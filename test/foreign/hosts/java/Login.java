// An application of Spring Boot that shows who is signed in; the printed files sign them in.
package app;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
class Login {
  @GetMapping("/")
  Map<String, Object> home(@AuthenticationPrincipal OidcUser user) {
    return user.getClaims();
  }

  public static void main(String[] args) {
    SpringApplication.run(Login.class, args);
  }
}
