package com.example.webapp;

import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;

@RestController
class HomeController {
  private static final String SIGN_IN = "<a href=\"/oauth2/authorization/redmint\">Sign in</a>";
  private static final String SIGN_OUT = """
      <p>%s %s</p><form method="post" action="/logout">
      <input type="hidden" name="%s" value="%s"><button>Sign out</button></form>
      """;

  @GetMapping("/")
  String home(@AuthenticationPrincipal OidcUser user, CsrfToken csrf) {
    if (user == null) return "<p>Nobody is signed in.</p>" + SIGN_IN;
    return SIGN_OUT.formatted(
        escape(user.getFullName()), escape(user.getEmail()), csrf.getParameterName(), csrf.getToken());
  }

  // For example, the user pressed "Do not allow".
  @GetMapping("/refused")
  String refused() {
    return "<p>You are not signed in.</p>" + SIGN_IN;
  }

  private static String escape(String text) {
    return text == null ? "" : HtmlUtils.htmlEscape(text);
  }
}
