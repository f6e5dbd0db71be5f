import AppAuth

func signIn(from controller: UIViewController, done: @escaping (OIDAuthState?, Error?) -> Void) {
  let issuer = URL(string: "{{issuer}}")!
  OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, error in
    guard let configuration else { return done(nil, error) }
    let request = OIDAuthorizationRequest(
      configuration: configuration,
      clientId: "{{client_id}}",
      scopes: [{{quoted_scopes}}],
      redirectURL: URL(string: "{{redirect_uri}}")!,
      responseType: OIDResponseTypeCode,
      additionalParameters: nil)
    (UIApplication.shared.delegate as! AppDelegate).currentAuthorizationFlow =
      OIDAuthState.authState(byPresenting: request, presenting: controller, callback: done)
  }
}
