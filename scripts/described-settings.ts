/** What turns on every endpoint that docs/openapi.json describes. */
export const DESCRIBED = {
  issuer: 'https://auth.example.com',
  client_registration: 'open',
  webfinger_hosts: ['example.com'],
  global_token_revocation: 'on',
  receive_signals: 'on',
  status_lists: 'on',
  shared_signals: 'on',
  audit: 'on',
  ask_people: 'on',
} as const
