export const oidc = {
  authority: "{{issuer}}",
  client_id: "{{client_id}}",
  redirect_uri: "{{redirect_uri}}",
  post_logout_redirect_uri: "{{origin}}/",
  scope: "{{scope}}",
  loadUserInfo: true,
}
