import AppAuth
import Combine
import SwiftUI
import UIKit

private let issuer = "{{issuer}}"
private let clientID = "{{client_id}}"
private let redirectURL = URL(string: "{{redirect_uri}}")!

final class Session: ObservableObject {
  @Published private(set) var user: String?
  @Published private(set) var message = ""
  private var state: OIDAuthState?
  // The sheet of the browser lives as long as this.
  private var flow: OIDExternalUserAgentSession?

  func signIn() {
    OIDAuthorizationService.discoverConfiguration(forIssuer: URL(string: issuer)!) { configuration, error in
      guard let configuration, let controller = self.controller() else { return self.fail(error) }
      let request = OIDAuthorizationRequest(
        configuration: configuration,
        clientId: clientID,
        scopes: [{{quoted_scopes}}],
        redirectURL: redirectURL,
        responseType: OIDResponseTypeCode,
        additionalParameters: nil)
      // Sends the user to redmint, and exchanges the code for the tokens.
      self.flow = OIDAuthState.authState(byPresenting: request, presenting: controller) { state, error in
        guard let state else { return self.fail(error) }
        self.state = state
        self.load()
      }
    }
  }

  /// Asks redmint who it is. The access token is refreshed first if it has expired.
  func load() {
    guard let state else { return }
    state.performAction { accessToken, _, error in
      // A refused refresh is kept in the state. A network that is away is not.
      if !state.isAuthorized { return self.forget("You were signed out.") }
      guard error == nil, let accessToken else { return self.fail(error) }
      Task { @MainActor in
        do {
          var request = URLRequest(url: URL(string: issuer + "{{path.userinfo}}")!)
          request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")
          let (data, response) = try await URLSession.shared.data(for: request)
          guard self.state === state else { return }
          let status = (response as? HTTPURLResponse)?.statusCode
          if status == 401 { return self.forget("You were signed out.") }
          guard status == 200 else { return self.message = "The server does not answer." }
          let claims = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
          self.user = (claims["name"] ?? claims["sub"]) as? String
          self.message = claims["email"] as? String ?? ""
        } catch {
          self.fail(error)
        }
      }
    }
  }

  /// Ends the session at redmint, and the tokens.
  func signOut() {
    guard let state, let idToken = state.lastTokenResponse?.idToken, let controller = self.controller(),
      let agent = OIDExternalUserAgentIOS(presenting: controller)
    else { return forget("") }
    let request = OIDEndSessionRequest(
      configuration: state.lastAuthorizationResponse.request.configuration,
      idTokenHint: idToken,
      postLogoutRedirectURL: redirectURL,
      additionalParameters: nil)
    flow = OIDAuthorizationService.present(request, externalUserAgent: agent) { response, error in
      guard response != nil else { return self.fail(error) }
      self.revoke(state.refreshToken ?? "")
      self.forget("")
    }
  }

  /// A refresh token outlives the session, because of the scope offline_access.
  private func revoke(_ token: String) {
    var request = URLRequest(url: URL(string: issuer + "{{path.revoke}}")!)
    request.httpMethod = "POST"
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data("client_id={{encoded_client_id}}&token=\(token)".utf8)
    URLSession.shared.dataTask(with: request).resume()
  }

  private func forget(_ message: String) {
    state = nil
    user = nil
    self.message = message
  }

  private func fail(_ error: Error?) {
    let cause = error as NSError?
    let refused = cause?.domain == OIDOAuthAuthorizationErrorDomain
      && cause?.code == OIDErrorCodeOAuth.accessDenied.rawValue
    let closed = cause?.domain == OIDGeneralErrorDomain
      && cause?.code == OIDErrorCode.userCanceledAuthorizationFlow.rawValue
    if refused { return message = "You are not signed in." }
    if !closed { message = error?.localizedDescription ?? "There is no window." }
  }

  private func controller() -> UIViewController? {
    let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
    return scenes.flatMap(\.windows).first(where: \.isKeyWindow)?.rootViewController
  }
}

struct ContentView: View {
  @StateObject private var session = Session()
  @Environment(\.scenePhase) private var phase

  var body: some View {
    VStack(spacing: 16) {
      if let user = session.user {
        Text(user)
        Button("Sign out") { session.signOut() }
      } else {
        Button("Sign in") { session.signIn() }
      }
      Text(session.message)
    }
    .onChange(of: phase) { phase in
      if phase == .active { session.load() }
    }
  }
}
