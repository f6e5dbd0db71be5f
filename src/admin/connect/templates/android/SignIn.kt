import android.content.Intent
import android.net.Uri
import net.openid.appauth.AuthorizationRequest
import net.openid.appauth.AuthorizationService
import net.openid.appauth.AuthorizationServiceConfiguration
import net.openid.appauth.ResponseTypeValues

fun signIn(service: AuthorizationService, start: (Intent) -> Unit) {
    AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse("{{issuer}}")) { configuration, error ->
        if (configuration == null) throw error!!
        val request = AuthorizationRequest.Builder(
            configuration,
            "{{client_id}}",
            ResponseTypeValues.CODE,
            Uri.parse("{{redirect_uri}}"),
        ).setScope("{{scope}}").build()
        start(service.getAuthorizationRequestIntent(request))
    }
}
