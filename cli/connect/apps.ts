import { type Preset, STAY_SIGNED_IN } from './preset.ts'

export const ios: Preset = {
  title: 'AppAuth for iOS',
  needs: 'redirect-uri',
  fields: { is_public: true, application_type: 'native', allowed_scopes: STAY_SIGNED_IN },
  settings({ issuer, client_id, redirect_uri, scope }) {
    const scopes = scope
      .split(' ')
      .map((name) => `"${name}"`)
      .join(', ')
    return [
      {
        file: 'SignIn.swift',
        language: 'swift',
        text: `import AppAuth

func signIn(from controller: UIViewController, done: @escaping (OIDAuthState?, Error?) -> Void) {
  let issuer = URL(string: "${issuer}")!
  OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, error in
    guard let configuration else { return done(nil, error) }
    let request = OIDAuthorizationRequest(
      configuration: configuration,
      clientId: "${client_id}",
      scopes: [${scopes}],
      redirectURL: URL(string: "${redirect_uri}")!,
      responseType: OIDResponseTypeCode,
      additionalParameters: nil)
    (UIApplication.shared.delegate as! AppDelegate).currentAuthorizationFlow =
      OIDAuthState.authState(byPresenting: request, presenting: controller, callback: done)
  }
}
`,
      },
    ]
  },
}

export const android: Preset = {
  title: 'AppAuth for Android',
  needs: 'redirect-uri',
  fields: { is_public: true, application_type: 'native', allowed_scopes: STAY_SIGNED_IN },
  settings({ issuer, client_id, redirect_uri, scope }) {
    const [scheme] = redirect_uri.split(':')
    return [
      {
        file: 'app/build.gradle.kts',
        language: 'kotlin',
        text: `android.defaultConfig.manifestPlaceholders["appAuthRedirectScheme"] = "${scheme}"
`,
      },
      {
        file: 'SignIn.kt',
        language: 'kotlin',
        text: `import android.content.Intent
import android.net.Uri
import net.openid.appauth.AuthorizationRequest
import net.openid.appauth.AuthorizationService
import net.openid.appauth.AuthorizationServiceConfiguration
import net.openid.appauth.ResponseTypeValues

fun signIn(service: AuthorizationService, start: (Intent) -> Unit) {
    AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse("${issuer}")) { configuration, error ->
        if (configuration == null) throw error!!
        val request = AuthorizationRequest.Builder(
            configuration,
            "${client_id}",
            ResponseTypeValues.CODE,
            Uri.parse("${redirect_uri}"),
        ).setScope("${scope}").build()
        start(service.getAuthorizationRequestIntent(request))
    }
}
`,
      },
    ]
  },
}

export const mcp: Preset = {
  title: 'an MCP client',
  fields: {
    is_public: true,
    application_type: 'native',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    allowed_scopes: STAY_SIGNED_IN,
  },
  settings: ({ issuer, client_id, redirect_uri, scope }) => [
    {
      file: 'the settings of the MCP client',
      language: 'text',
      text: `Authorization server: ${issuer}
Client ID:            ${client_id}
Client secret:        none
Redirect URI:         ${redirect_uri}, with any port
Scopes:               ${scope}
`,
    },
  ],
}
