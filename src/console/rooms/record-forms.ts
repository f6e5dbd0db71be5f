import type { Edited } from '../edit.ts'
import { formOfParts } from '../form-of-parts.ts'

export type SimpleId = 'provider' | 'resource' | 'detail_type' | 'issuer' | 'application'

const OFF = 'For now: the record stays'

/** The forms of plain records, in the words of people. */
export const RECORD_FORMS: Readonly<Record<SimpleId, Edited['form']>> = {
  resource: formOfParts(
    [
      {
        title: 'The API',
        fields: [{ name: 'resource_name', hint: 'People see it when they allow an application to use it' }],
      },
      {
        title: 'Tokens for it',
        fields: [
          { name: 'scopes', hint: 'One in each line, such as orders.read. Empty: any scope' },
          {
            name: 'access_token_format',
            usual: 'As each application says',
            cards: {
              '': 'Whatever it has for other APIs',
              opaque: 'Can be ended at once, the API asks this server',
              jwt: 'The API reads it by itself, valid to its end',
            },
          },
          {
            name: 'access_token_ttl',
            hint: 'At most 86400, which is a day',
            placeholder: 'as each application says',
          },
        ],
      },
    ],
    [
      { name: 'access_token_signed_response_alg', usual: 'As each application says' },
      { name: 'disabled', hint: 'No application gets a token for it, and those there are do not count' },
    ],
  ),
  detail_type: formOfParts(
    [
      {
        title: 'What people are asked',
        fields: [
          {
            name: 'text',
            hint: 'A sentence for each language, as JSON: {"en": "Pay {amount} {currency} to {creditor}"}. What it does not name stands below it',
          },
          { name: 'remember', hint: 'Otherwise people are asked each time' },
        ],
      },
      {
        title: 'What applications may send',
        fields: [
          { name: 'schema', hint: 'As JSON: the members of an object, and their limits' },
          { name: 'pushed', hint: 'So that nobody changes it on its way through the browser' },
        ],
      },
    ],
    [{ name: 'disabled', hint: `No application gets it, and tokens are reported without it. ${OFF}` }],
  ),
  issuer: formOfParts(
    [
      {
        title: 'Whom it vouches for',
        fields: [
          {
            name: 'profile',
            first: 'workload',
            cards: {
              workload: 'A job, a pod or a machine proves which application it is, without a secret',
              'id-jag': 'Another server says which person an application acts for',
            },
          },
          {
            name: 'conditions',
            hint: 'One in each line, such as repository_owner=acme. Without one, everybody at this issuer counts',
          },
          { name: 'uses', hint: 'None chosen: both' },
        ],
      },
      {
        title: 'How its assertions are checked',
        fields: [
          { name: 'jwks_uri', placeholder: 'found by its own description' },
          { name: 'audience', placeholder: 'this server' },
          { name: 'algorithms', hint: 'None chosen: all' },
        ],
      },
    ],
    [
      { name: 'account_by', first: 'subject' },
      { name: 'scopes', hint: 'One in each line. Empty: all that the application may have' },
      { name: 'jwks', hint: 'As JSON, for an issuer that this server cannot reach' },
      { name: 'max_lifetime', hint: 'At most 90000', placeholder: '300' },
      { name: 'clock_skew', hint: 'At most 300', placeholder: '30' },
      { name: 'reusable', hint: 'Until it expires, as often as it is presented' },
      { name: 'disabled', hint: `Its assertions are refused. ${OFF}` },
    ],
  ),
  application: formOfParts(
    [
      {
        title: 'The other server',
        fields: [
          { name: 'application_name', hint: 'What operators call it', placeholder: 'as its address is' },
          {
            name: 'resources',
            hint: 'One in each line, such as https://api.example.com: without one, there are no assertions',
          },
          { name: 'scopes', hint: 'One in each line, as the other server calls them. Empty: none' },
        ],
      },
      {
        title: 'Who may act there, and for whom',
        fields: [
          {
            name: 'clients',
            hint: 'One in each line: its client_id here, and after = that at the other server, if it is another one',
          },
          {
            name: 'allowed_groups',
            hint: 'One in each line. Empty: everybody who may use the application. [] alone: nobody',
          },
        ],
      },
      {
        title: 'What is said of a person',
        fields: [
          {
            name: 'subject_of',
            hint: 'The application as which the other server signs its people in here: each is named as there',
            placeholder: 'by the sub of the account',
          },
          { name: 'says_email', hint: 'Only an address that is verified' },
        ],
      },
    ],
    [
      { name: 'assertion_signing_alg', usual: 'As ID_TOKEN_ALG says' },
      { name: 'disabled', hint: `There are no assertions for it. ${OFF}` },
    ],
  ),
  provider: formOfParts(
    [
      {
        title: 'The provider',
        fields: [
          { name: 'kind', first: 'oidc', cards: {} },
          { name: 'name', hint: 'What the button at the sign-in says', placeholder: 'as its kind is called' },
          {
            name: 'issuer',
            hint: 'Its address, character by character as it says it itself. Google, GitHub, GitLab and Apple have one that is known',
          },
        ],
      },
      {
        title: 'This server there',
        fields: [
          { name: 'client_id', hint: 'What it called this server when it was registered there' },
          { name: 'client_secret', label: 'Secret', hint: 'Kept sealed, and never shown' },
        ],
      },
      {
        title: 'Who comes from it',
        fields: [
          {
            name: 'creates_users',
            hint: 'Otherwise only those who have linked their account get in',
          },
          {
            name: 'links_by_email',
            hint: 'Somebody whose address both sides verified is the account with this address',
          },
          {
            name: 'email_domains',
            hint: 'One in each line, such as example.com: for new accounts and for joining. Empty: all',
          },
        ],
      },
    ],
    [
      { name: 'scope', hint: 'One in each line', placeholder: 'who the person is, name, e-mail address' },
      { name: 'groups_claim', hint: 'Such as groups. Empty: no groups are taken from it' },
      { name: 'groups_ttl', hint: 'How long what it said of groups counts', placeholder: '604800' },
      { name: 'token_endpoint_auth_method', usual: 'As the provider says' },
      { name: 'team_id', hint: 'Ten letters and digits' },
      { name: 'key_id', hint: 'Ten letters and digits' },
      { name: 'disabled', hint: `Its button is not shown, and nobody gets in by it. ${OFF}` },
    ],
  ),
}
