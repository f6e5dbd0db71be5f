import type { Reason } from '../core/reasons.ts'

/** What happened, as one sentence, and what to change, for every reason. Translations are in src/texts/. */
export const TEXTS_EN: Readonly<Record<Reason, readonly [what: string, advice: string]>> = {
  too_much_to_do: [
    'The request waited more than two seconds for its turn: the process has too much to do.',
    'Look at the CPU of the process, and start more workers or replicas.',
  ],
  body_too_large: ['The body of the request is too large.', 'Send less in one request.'],
  body_not_a_form: [
    'The body is not a form.',
    'Send the parameters as application/x-www-form-urlencoded, and not as JSON.',
  ],
  body_not_json: ['The body is not JSON.', 'Send the metadata as application/json.'],
  request_malformed: ['The request is malformed.', 'The line of the request in the log says what is wrong.'],
  several_authorization_headers: [
    'The request has more than one Authorization header.',
    'Look which library or proxy adds a second one, and send one.',
  ],
  certificate_header_untrusted: [
    'A client certificate in a header did not come from the proxy.',
    'Check TRUSTED_PROXIES, and the secret that the proxy sends in Client-Cert-Secret.',
  ],
  demo_from_outside: [
    'Demo mode was asked by a name that is not of this machine, or by a proxy.',
    'Set DEMO=false and make clients and users of your own, or DEMO=public and ISSUER for a public demonstration.',
  ],
  parameters_too_many: ['The request has too many parameters.', 'Send at most 100 parameters.'],
  parameter_missing: ['A required parameter is missing.', 'Send the parameter that is named as expected.'],
  parameter_repeated: ['A parameter is given more than once.', 'Send each parameter once.'],
  parameter_unreadable: [
    'A parameter cannot be read: it has control characters, or is not percent-encoded UTF-8.',
    'Encode the parameters as application/x-www-form-urlencoded.',
  ],
  forward_auth_answer: [
    'A browser came back from a sign-in for an application behind a proxy that it did not start, or that was refused.',
    'Open the application again. If it happens each time, let the proxy pass on cookies, and /.redmint/ of the host.',
  ],
  webfinger_resource: [
    'WebFinger was asked for an address of another host.',
    'Name the host in WEBFINGER_HOSTS if this server is its issuer.',
  ],
  language_unknown: [
    'A page was asked for in a language that it does not have.',
    'Nothing is to be changed.',
  ],

  client_unknown: [
    'No client has this client_id, or it is disabled or malformed.',
    'Correct the client_id in the application, or see redmint client show and redmint client lint. Is it another server?',
  ],
  client_unnamed: [
    'The request names no client.',
    'Send client_id, or Basic credentials. Is the variable with the credentials set in the application?',
  ],
  client_document_unusable: [
    'The metadata document at the client_id cannot be used.',
    'The client made no mistake in this request: its operator corrects the document, as the line in the log says. `code` says what is wrong; redmint explain --last 20 shows whether it happens to others.',
  ],
  client_document_away: [
    'The metadata document at the client_id cannot be fetched now.',
    'The host of the document is at fault, or the way to it: `code` says at what. Check whether this server reaches it; redmint explain --last 20 shows whether it happens to others.',
  ],
  client_keys_away: [
    'The keys of the client cannot be fetched now.',
    'The host of the keys is at fault, or the way to it: `code` says at what. redmint client keys show NAME asks it from where it runs.',
  ],
  client_is_public: [
    'A public client asked for what only clients with credentials may do.',
    'Register a client with a secret or keys for it.',
  ],
  client_authentications_several: [
    'The request has more than one kind of client credentials.',
    'Send either Basic credentials or client_secret or client_assertion.',
  ],
  client_ids_differ: [
    'The client_id differs from that of the credentials.',
    'Send one client_id, the one that the credentials belong to.',
  ],
  client_credentials_malformed: [
    'The Basic credentials cannot be read.',
    'Form-encode client_id and secret, and then encode both with base64 (RFC 6749 section 2.3.1).',
  ],
  client_credentials_wrong: [
    'The client did not prove who it is: the secret is wrong or missing, or it must authenticate in another way.',
    'Compare the secret of the application with a new one: redmint client rotate-secret. redmint client show says how it must authenticate.',
  ],
  client_authentication_limited: [
    'The client failed to authenticate too often from this address, so its credentials are not checked for now.',
    'Correct the secret where it is wrong; redmint limits shows the lockout, and lifts it.',
  ],
  client_assertion_incomplete: [
    'client_assertion and client_assertion_type do not come together, or the type is another one.',
    'Send both, with the type of RFC 7523.',
  ],
  client_assertion_malformed: [
    'The client_assertion is not a JWT that can be read.',
    'Send one signed JWT, with an algorithm that this server supports.',
  ],
  client_assertion_claims: [
    'A claim of the client_assertion is missing or wrong.',
    'Set the claims as expected: iss and sub are the client_id, aud is the issuer of this server.',
  ],
  client_assertion_clock: [
    'The client_assertion is not valid at the time of this server.',
    'Synchronize the clock of the client, and make a new assertion for each request.',
  ],
  client_assertion_unproven: [
    'The signature of the client_assertion is not by a key of the client.',
    'Register the public key in jwks or at jwks_uri of the client, with the kid of the assertion.',
  ],
  client_assertion_issuer: [
    'The issuer of the client_assertion is not one that this server trusts for the client.',
    'Register the issuer with redmint issuer add, and name it in assertion_issuer of the client.',
  ],
  client_assertion_client: [
    'The client_assertion is not about a client that may use it.',
    'Compare its sub, and the other claims, with the assertion fields of the client.',
  ],
  client_assertion_used: [
    'The client_assertion was used before.',
    'Make a new assertion, with a new jti, for each request. If the client does, somebody has copied it.',
  ],
  client_assertions_limited: [
    'A client that describes itself sent too many assertions in a minute.',
    'Let the client keep its tokens as long as they last.',
  ],
  client_certificate_missing: [
    'The tokens of the client are bound to a certificate, and the request has none that can be used.',
    'Send the client certificate, and let the proxy pass it on.',
  ],
  client_encryption_key_missing: [
    'Answers to the client are to be encrypted, and it has no key for that.',
    'Add a key with "use": "enc" to the key set of the client.',
  ],

  request_and_request_uri: ['The request has both request and request_uri.', 'Send one of them.'],
  request_uri_unusable: [
    'The request_uri was used, has expired, or is that of another client.',
    'Push a new request for each sign-in. People who go back in the browser meet this, too.',
  ],
  request_object_malformed: ['The request object is not a JWT that can be read.', 'Send one signed JWT.'],
  request_object_claims: [
    'A claim of the request object is missing or wrong.',
    'Set the claims as expected.',
  ],
  request_object_clock: [
    'The request object is not valid at the time of this server.',
    'Synchronize the clock of the client, and make a new request object for each request.',
  ],
  request_object_unproven: [
    'The signature of the request object is not by a key of the client.',
    'Register the public key in jwks or at jwks_uri of the client, with the kid of the object.',
  ],
  redirect_uri_unregistered: [
    'The redirect_uri is not registered for the client, character by character.',
    'Correct it in the application, or register it: redmint client update with each --redirect-uri, as a new list replaces the old one.',
  ],
  request_unsupported: [
    'An unsigned request object is not supported.',
    'Sign the request object, or send its parameters.',
  ],
  request_uri_foreign: [
    'The request_uri was not given by this server.',
    'Push the request to the pushed authorization request endpoint, and send the request_uri of its answer.',
  ],
  registration_unsupported: ['The parameter registration is not supported.', 'Register the client before.'],
  request_unsigned: [
    'The client must sign its requests, and this one is not signed.',
    'Send a request object, or change require_signed_request_object of the client.',
  ],
  request_not_pushed: [
    'The request must be pushed, and was not.',
    'Push it, or change require_pushed_authorization_requests of the client or of the server.',
  ],
  request_uri_pushed: ['A pushed request has the parameter request_uri.', 'Push the parameters themselves.'],
  logout_token_refused: [
    'A logout token that is said to be of a provider is refused.',
    'Compare its issuer, its audience and its time with the record of the provider.',
  ],
  signal_refused: [
    'A security event token is refused.',
    'Compare its issuer, its audience and its time with the record of the provider or of the trusted issuer, and see that signals is true there.',
  ],
  revocation_subject_malformed: [
    'The request to end all that somebody has does not say whom it means.',
    'Send sub_id as JSON, in the format iss_sub, email or opaque.',
  ],
  revocation_subject_unknown: [
    'Nobody here is the person whose tokens are to end, or several are.',
    'Compare what the security product knows with the sub, the linked subjects and the verified e-mail address of the account.',
  ],
  pushing_limited: [
    'Public clients pushed too many requests from this address.',
    'Wait until the time is over; raise PAR_REQUESTS if many people share the address. Is TRUSTED_PROXIES set?',
  ],
  response_type_unsupported: ['The response_type is not code.', 'Use the authorization code flow.'],
  response_mode_unsupported: [
    'The response_mode is not supported.',
    'Leave it out, or send one that is expected.',
  ],
  response_unsigned: [
    'Answers to this client must be signed, and the response_mode is one without a signature.',
    'Send response_mode jwt.',
  ],
  request_too_long: [
    'The request is too long to wait in the browser.',
    'Shorten its parameters. Of a pushed request the authorization_details do not count.',
  ],
  pkce_challenge_missing: [
    'The request has no code_challenge, and the client must use PKCE.',
    'Turn PKCE with S256 on in the application. A confidential client that cannot is exempted by require_pkce.',
  ],
  pkce_method: ['The code_challenge_method is not S256.', 'Send code_challenge_method S256.'],
  pkce_challenge_malformed: [
    'The code_challenge is not a SHA-256 digest in base64url.',
    'Send the digest of the verifier, 43 characters, without padding.',
  ],
  dpop_jkt_malformed: [
    'dpop_jkt is not the thumbprint of a key.',
    'Send the SHA-256 thumbprint of the key in base64url, 43 characters.',
  ],
  max_age_malformed: ['max_age is not a number of seconds.', 'Send a whole number.'],
  prompt_malformed: [
    'prompt has a value that there is not here, or none or create beside another one.',
    'Send none alone, create alone where SIGN_UP is open, or some of login, consent and select_account.',
  ],
  preview_silent: [
    'The client is a preview, and asks for an answer without a page: the users of previews are asked each time.',
    'Send the request without prompt=none; only the client that it is a preview of can ask so.',
  ],
  claims_malformed: [
    'The parameter claims cannot be read.',
    'Send JSON as OpenID Connect Core section 5.5 says.',
  ],
  id_token_hint_foreign: [
    'The id_token_hint is not an id_token that this server gave to this client.',
    'Send the last id_token of the sign-in, or leave the parameter out.',
  ],
  acr_impossible: [
    'The request demands an acr that no way of signing in here has.',
    'Ask for an acr that is expected, or turn the second step or passkeys on.',
  ],
  demo_subject_malformed: [
    'The parameter subject of demo mode is not a name that can be used.',
    'Send 1 to 255 printable ASCII characters.',
  ],
  subject_is_client: [
    'The sub of the user is the same as a client_id, which could be confused.',
    'Give the user another sub, or the client another client_id.',
  ],
  browser_request_ended: [
    'The page was used too late, twice, in another browser than it was made for, or by a form of another site.',
    'Start again from the application. If it happens often, look at SIGN_IN_TTL and whether cookies reach the server.',
  ],
  login_required: [
    'Nobody is signed in, or not recently enough, and the client said that nobody may be asked.',
    'Nothing is wrong if the application only looks whether somebody is signed in; else send no prompt=none.',
  ],
  other_user_signed_in: [
    'Another user is signed in than the request asks for.',
    'Sign out first, or let the application send no id_token_hint or sub.',
  ],
  sign_in_refused: [
    'The sign-in page of your application (LOGIN_URL) said that the user does not sign in.',
    'Nothing is wrong if the user gave up; else look there.',
  ],
  acr_too_weak: [
    'The sign-in is weaker than the client demands.',
    'Sign in with the second step or a passkey, or let the client demand less.',
  ],
  sign_ins_too_many: [
    'Too many people sign in at this moment.',
    'Raise ARGON2_CONCURRENCY or add replicas if this lasts; it may be a flood of guesses.',
  ],
  directory_away: [
    'The directory, which knows names and passwords, cannot be used.',
    '`step` and `code` say at what. Ask what is wrong: redmint directory test.',
  ],
  consent_needed: [
    'The user has not agreed yet, and the client said that nobody may be asked.',
    'Send the request without prompt=none once, or make the client first_party.',
  ],
  consent_refused: [
    'The user refused what the client asked for.',
    'Nothing is wrong: it was the choice of the user.',
  ],
  access_by_group: [
    'The user is in none of the groups that may use the client.',
    'Put the user into a group that is allowed_groups of the client, or change these.',
  ],

  password_wrong: ['The password is wrong.', 'Give the user a link to a new one: redmint user reset-link.'],
  own_page_failed: [
    'The page of your application (LOGIN_URL or CONSENT_URL) sent the browser back with an answer that does not count. The person made no mistake.',
    '`code` says why: no verifier, one that is not known, over or used, one for another request, or a refusal that the application did not give by the admin API. Once, it is a page that was loaded again; else correct the application. redmint explain --last 20 shows the last ones.',
  ],
  upstream_failed: [
    'A provider of sign-ins did not answer as it must, or is turned off: `step` and `code` say at what. The person made no mistake.',
    'redmint provider test NAME says what is wrong with the provider; redmint provider show NAME has its last error.',
  ],
  upstream_denied: [
    'The person gave up at the provider, or the provider said no.',
    'Nothing has to be done here, unless it happens to many: redmint provider test NAME.',
  ],
  upstream_account: [
    'The person proved who it is at a provider or a directory, and no account here can be used: `code` says why.',
    '`no_account`: invite the person or let first sign-ins make accounts; `known`: link the account by hand (--linked-subject); `domain`: see email_domains; `several`: two accounts have the link; `busy`: try again.',
  ],
  password_expired: [
    'The directory says that the password was right, and has to be changed before it counts again.',
    'Let the user change it where the directory has passwords changed; CHANGE_PASSWORD_URL leads there from the page.',
  ],
  user_unknown: [
    'No user has the name that was typed. It is not shown: people type passwords into the wrong field.',
    'Look for the user with redmint user list, or invite one.',
  ],
  user_disabled: ['The account of the user is disabled.', 'redmint user enable lets the user sign in again.'],
  user_without_password: [
    'The user has no password.',
    'Give the user a link to choose one: redmint user reset-link.',
  ],
  sign_in_answer_wrong: [
    'The answer of a step of the sign-in is wrong, such as the code of an app or a passkey.',
    'Let the user try again; redmint user reset-factors removes what is lost.',
  ],
  sign_in_not_fresh: [
    'The request wants a recent sign-in, and a provider or the own login did not say that there was one.',
    'Let the user sign out there first. A provider that says no auth_time, such as GitHub, proves no recent sign-in: add another way.',
  ],
  sign_ins_limited: [
    'Too many sign-ins failed, so that none is tried for now.',
    'redmint limits shows the lockout; redmint user unlock lifts it. Behind a proxy, is TRUSTED_PROXIES set?',
  ],
  second_step_limited: [
    'So many codes for the second step were wrong that none counts now: somebody may know the password.',
    'Let the user choose a new password, and use a recovery code or redmint user reset-factors.',
  ],
  user_code_limited: [
    'Too many wrong user codes of devices were entered.',
    'Wait until the time is over, or lift the lockout with redmint limits lift.',
  ],
  user_code_wrong: [
    'No device waits for the user code that was entered.',
    'Enter the code that the device shows now; it may have expired.',
  ],
  link_over: [
    'A link of a mail or of an operator does not work any more, or its form was sent by another browser.',
    'It was used, is over, or the account has changed since: send a new one. `link` says what it was for: redmint user reset-link, redmint user invite. Mail programs that cut long addresses break it, too.',
  ],
  logout_request_wrong: [
    'The logout request is at fault, so that it does not return to the client.',
    'Correct what is named: the id_token_hint, the client_id, or the post_logout_redirect_uri, which must be registered.',
  ],

  scope_not_allowed: [
    'The client asked for a scope that it may not obtain.',
    'Ask for less, or add the scope: redmint client update with each --scope, as a new list replaces the old one.',
  ],
  scope_not_of_resource: [
    'The client asked for a scope that the resource does not have.',
    'Ask for scopes of the resource, or add the scope to it: redmint resource update with each --scope, as a new list replaces the old one.',
  ],
  resource_malformed: [
    'resource is not an address of a resource.',
    'Send one absolute URI in each parameter resource.',
  ],
  resource_missing: [
    'An exchange must name the API that the new token is for.',
    'Send one resource, and no audience.',
  ],
  resource_unknown: ['The resource is not registered.', 'Correct it, or register it: redmint resource add.'],
  resource_disabled: ['The resource is disabled.', 'Enable it: redmint resource enable.'],
  resources_several: ['The token request names several resources.', 'Ask for one token for each resource.'],
  resource_without_scope: [
    'The client may obtain no scope of the resource.',
    'Add a scope of the resource to allowed_scopes of the client.',
  ],
  resource_not_granted: [
    'The resource is not one of those of the sign-in.',
    'Name it in the authorization request, too, or ask for one that was granted.',
  ],
  resource_own: [
    'Nobody acts for a person at this server itself.',
    'Name the API of another server, or send the token of the application to this one.',
  ],
  details_malformed: [
    'The details that the client asks for cannot be read.',
    'Send a JSON array in authorization_details, of 1 to 10 different objects with a type, without a member twice, in at most 8192 bytes.',
  ],
  details_type_unknown: [
    'A type of the details is unknown here, or disabled.',
    'Add it: redmint detail-type add. redmint detail-type list says which there are.',
  ],
  details_type_not_allowed: [
    'The client may not use a type of the details.',
    'Add it to authorization_details_types of the client: redmint client update with each --detail-type.',
  ],
  details_schema: [
    'An object of the details does not fit the schema of its type.',
    'Correct what the description of the error names; redmint detail-type show has the schema.',
  ],
  details_not_pushed: [
    'A type of the details needs a pushed request.',
    'Push the request (RFC 9126), or set pushed of the type to false.',
  ],
  details_not_granted: [
    'The details are more than what the person allowed.',
    'Ask for the same objects, for fewer, or for lower numbers where the schema says "narrow": "less".',
  ],
  details_without_person: [
    'The grant type has no person who could allow details.',
    'Leave authorization_details out, or send the person to allow them.',
  ],

  grant_type_unsupported: ['The grant_type is not supported.', 'Use one that the discovery document names.'],
  grant_type_not_registered: [
    'The client is not registered for this grant.',
    'Add it to grant_types of the client, or use another grant.',
  ],
  grant_type_needs_secret: [
    'A public client asked for a grant that needs credentials.',
    'Register a client with a secret or keys for it.',
  ],
  proof_missing: [
    'The request has no DPoP proof, and the client must send one.',
    'Send the header DPoP, or change dpop_bound_access_tokens of the client.',
  ],
  proof_malformed: [
    'The DPoP proof is not a JWT that can be read.',
    'Make the proof as RFC 9449 section 4.2 says.',
  ],
  proof_claims: [
    'A claim of the DPoP proof is missing or wrong.',
    'Set htm and htu to the method and address of this request. Behind a proxy, is ISSUER the address that clients use?',
  ],
  proof_clock: [
    'The DPoP proof is not valid at the time of this server.',
    'Synchronize the clock of the client, and make a new proof for each request.',
  ],
  proof_nonce: [
    'The DPoP proof has no nonce of this server, or an old one.',
    'Nothing is wrong once: the client sends a new proof with the nonce of the answer.',
  ],
  proof_used: [
    'The DPoP proof was used before.',
    'Make a new proof, with a new jti, for each request. If the client does, somebody has copied it.',
  ],
  proof_other_key: [
    'The DPoP proof is by another key than expected.',
    'Use the same key for the whole sign-in.',
  ],
  proofs_away: [
    'It cannot be found out now whether the DPoP proof was used before.',
    'Look whether storage answers: redmint doctor.',
  ],
  code_malformed: [
    'The code is not one of this server.',
    'Send the value of code from the redirect, decoded once.',
  ],
  code_unknown: [
    'The code has expired, was ended, or never was.',
    'Exchange the code at once, and once. CODE_TTL says how long it lasts.',
  ],
  code_spent: [
    'The code was exchanged before, and its tokens are revoked now.',
    'Find out who sends it twice: a page that is loaded again, a retry, or somebody who has copied it.',
  ],
  code_of_other_client: [
    'The code was given to another client.',
    'Use the same client_id in the authorization and in the token request.',
  ],
  code_redirect_uri: [
    'The redirect_uri is not that of the authorization request.',
    'Send the same redirect_uri in both requests, character by character.',
  ],
  code_verifier_missing: [
    'The code_verifier is missing, and the authorization request had a code_challenge.',
    'Send the verifier. Did the application lose it between the two requests?',
  ],
  code_verifier_wrong: [
    'The code_verifier does not match the code_challenge.',
    'Send the verifier of the same sign-in, as text, and not its digest.',
  ],
  code_other_key: [
    'The code is bound to another DPoP key or certificate than that of the request.',
    'Use the key of the authorization request.',
  ],
  refresh_token_malformed: [
    'The refresh token is not one of this server.',
    'Send the value of refresh_token unchanged.',
  ],
  refresh_token_unknown: [
    'The refresh token has expired, was revoked, is that of another client, or never was.',
    'Send the user to sign in again. REFRESH_TOKEN_TTL and REFRESH_TOKEN_IDLE_TTL say how long it lasts.',
  ],
  refresh_token_spent: [
    'The refresh token was used before, and all tokens of the sign-in are revoked now.',
    'Keep the newest refresh token, and refresh in one place only. If the client does, somebody has copied it: `last_refresh_at` says when it was used before, and the log of that time from which address.',
  ],
  refresh_token_other_key: [
    'The refresh token is bound to another DPoP key or certificate than that of the request.',
    'Keep the key of a public client as long as its refresh token.',
  ],
  refresh_token_retry_differs: [
    'A refresh was repeated with another key or certificate than before.',
    'Repeat a refresh as it was sent.',
  ],
  refresh_token_scope: [
    'The scope of the refresh is more than what was granted, or differs from that of the refresh that it repeats.',
    'Leave scope out, or ask for less.',
  ],
  refresh_tokens_never: [
    'The client may not use refresh tokens.',
    'Change refresh_tokens of the client, or let the application do without.',
  ],
  device_code_malformed: [
    'The device code is not one of this server.',
    'Send the value of device_code unchanged.',
  ],
  device_code_pending: [
    'The user of the device has not answered yet.',
    'Nothing is wrong: the device asks again.',
  ],
  device_code_slow_down: [
    'The device asked before its interval was over.',
    'Let the device wait 5 seconds longer from now on.',
  ],
  device_code_denied: ['The user of the device denied.', 'Nothing is wrong: it was the choice of the user.'],
  device_code_ended: [
    'The device code has expired, or never was.',
    'Ask for new codes. DEVICE_CODE_TTL says how long they last.',
  ],
  device_code_spent: ['The device code was exchanged before.', 'Exchange a device code once.'],
  device_code_of_other_client: [
    'The device code was given to another client.',
    'Use the same client_id in both requests.',
  ],
  ask_off: [
    'The client may not ask people.',
    'Set asks_people of the client to true if people should get questions from it.',
  ],
  ask_hint: [
    'The question names nobody, or somebody in several ways.',
    'Send one of login_hint, id_token_hint and login_hint_token: a name that the person signs in by, a subject of this server, or what a trusted issuer with login_hints says now.',
  ],
  ask_malformed: ['A parameter of the question has another form.', 'Compare it with docs/asks.md.'],
  ask_message: [
    'The message of the question is too long, or has a character or an address that people are not shown.',
    'Send 64 letters, digits and spaces at most, or leave binding_message out.',
  ],
  ask_id_malformed: [
    'The auth_req_id is not one of this server.',
    'Send the value of auth_req_id unchanged.',
  ],
  ask_pending: ['The person has not answered yet.', 'Nothing is wrong: the client asks again.'],
  ask_slow_down: [
    'The client asked before its interval was over.',
    'Let the client wait 5 seconds longer from now on.',
  ],
  ask_denied: ['The person said no.', 'Nothing is wrong: it was the choice of the person.'],
  ask_ended: [
    'The question has expired, or never was. It also ends so if nobody was asked.',
    'Ask again. ASK_TTL and requested_expiry say how long a question waits; the event ask_dropped says why nobody saw it.',
  ],
  ask_spent: ['The answer was exchanged before.', 'Exchange an auth_req_id once.'],
  ask_of_other_client: [
    'The question is of another client, or the code is of another kind.',
    'Poll with the client that asked.',
  ],
  device_codes_limited: [
    'Public clients asked for too many device codes from this address.',
    'Wait until the time is over; raise DEVICE_REQUESTS if many devices share the address. Is TRUSTED_PROXIES set?',
  ],
  assertion_malformed: ['The assertion is not a JWT that can be read.', 'Send one signed JWT.'],
  assertion_claims: [
    'A claim of the assertion is missing or wrong.',
    'Compare the claims with what the trusted issuer and the client ask for.',
  ],
  assertion_clock: [
    'The assertion is not valid at the time of this server.',
    'Get a new assertion, and synchronize the clocks. max_lifetime of the issuer says how long one may last.',
  ],
  assertion_unproven: [
    'The signature of the assertion is not by a key of its issuer.',
    'Check the keys of the trusted issuer: redmint issuer show.',
  ],
  assertion_issuer: [
    'The issuer of the assertion is not trusted.',
    'Register it with redmint issuer add, or correct iss.',
  ],
  assertion_client: [
    'The assertion is not for this client.',
    'Compare assertion_issuer, assertion_subject and the conditions of the client with the claims.',
  ],
  assertion_user: [
    'No user that can sign in belongs to the assertion.',
    'Add the user, enable the account, or correct the claim that names the user.',
  ],
  assertion_other_key: [
    'The assertion is bound to another key than that of the request.',
    'Send a proof of its key.',
  ],
  assertion_used: [
    'The assertion was used before.',
    'Get a new assertion for each request. If the client does, somebody has copied it.',
  ],
  issuer_keys_away: [
    'The keys of the issuer of the assertion cannot be fetched now.',
    'The issuer is at fault, or the way to it: `code` says at what. Check whether this server reaches the keys that redmint issuer show NAME has; ISSUER_PRIVATE_HOSTS names hosts in private networks.',
  ],
  exchange_off: [
    'The client may not exchange tokens.',
    'Set exchange_mode of the client: delegate if it acts for people, narrow if it only needs narrower tokens of its own.',
  ],
  exchange_type: [
    'The exchange names a kind of token that is not exchanged here.',
    'Send an access token as subject_token, and name its kind in subject_token_type.',
  ],
  exchange_subject: [
    'The token to exchange has expired, was revoked, or is not one of this server.',
    'Exchange a live access token. redmint token inspect says what a token is.',
  ],
  exchange_subject_client: [
    'The token to exchange is that of a client, and acts for nobody.',
    'Let the client get a token by client_credentials.',
  ],
  exchange_tie: [
    'The token to exchange is neither one of the client nor for an API that the client acts for.',
    'Add the client to acting_clients of the resource that the token is for, if the client is that API.',
  ],
  exchange_user: [
    'The person of the token may not use the client, or ended its access.',
    'Add the person to a group that may use the client; after an end, the person signs in again.',
  ],
  exchange_actor: [
    'The actor is not the client, or not the one that the token allows.',
    'Leave actor_token out, or send a token or an assertion of the client itself.',
  ],
  exchange_chain: [
    'The client acts in this chain already, or the chain is too long.',
    'Exchange the token of an earlier step. A chain has at most four actors.',
  ],
  exchange_other_key: [
    'The token to exchange is bound to a key that the request does not prove.',
    'Send a proof. exchange_bound of the resource lets its clients exchange such tokens with keys of their own.',
  ],
  exchange_application: [
    'The audience is no other server for which the client gets identity assertions.',
    'redmint application show ISSUER says what is known of it. Name its issuer character by character, and the client in its clients.',
  ],
  exchange_group: [
    'The person is in none of the groups that may be named to the other server.',
    'Add the person to a group of allowed_groups of the other server, or change that field.',
  ],
  exchange_session: [
    'The session of the id_token has ended, or the person signed in without one.',
    'Let the person sign in again. A client with a refresh token sends that instead, which may outlive the session.',
  ],
  exchange_limited: [
    'The sign-in has as many exchanged tokens as it can have at a time.',
    'Let the client use a token until it ends. If it does, somebody uses its secret.',
  ],
  account_gone: [
    'The account of the user is disabled or gone, or the username is that of somebody else now.',
    'redmint user show says which; redmint user enable lets the user sign in again.',
  ],
  grant_ended: ['All of the user, the session or the client was ended.', 'Send the user to sign in again.'],

  token_missing: [
    'The request has no access token.',
    'Send the header Authorization: Bearer and the token. Does a proxy remove it?',
  ],
  tokens_several: ['The request has more than one access token.', 'Send one, in the header.'],
  token_invalid: [
    'The access token has expired, was revoked, or is not one of this server.',
    'Get a new one with the refresh token. redmint token inspect says what a token is.',
  ],
  token_of_other_audience: [
    'The access token is for another API.',
    'Ask for a token with the parameter resource of this API.',
  ],
  token_acting: [
    'With the access token somebody acts for a user, and this API takes no such tokens.',
    "Send the token of the user's own application. An API that looks at the actor sets acting to allow.",
  ],
  token_client_gone: [
    'The client of the access token is disabled or gone.',
    'redmint client show says which.',
  ],
  token_without_user: [
    'The access token belongs to no user, and a user is needed here.',
    'Use a token of a sign-in, and not of the client credentials grant.',
  ],
  token_other_key: [
    'The access token is bound to another key or certificate than that of the request.',
    'Send a proof of the same key as when the token was given.',
  ],
  token_proof_missing: [
    'The access token is bound to a key, and the request has no proof of it.',
    'Send Authorization: DPoP and the header DPoP, or the client certificate.',
  ],
  token_scope: ['The access token lacks a scope.', 'Ask for the scopes that are expected.'],
  token_sign_in_weak: [
    'The sign-in of the access token is too weak or too long ago for this request.',
    'Send the user to sign in again with the acr_values and max_age of the answer.',
  ],
  issuer_away: [
    'The issuer of the access token cannot be asked now.',
    'Check whether this server reaches it.',
  ],

  invitation_missing: ['Clients need an invitation to register.', 'Make one: redmint client invite.'],
  invitation_unusable: [
    'The invitation to register a client was used up, has expired, or never was.',
    'Make a new one: redmint client invite.',
  ],
  registration_token_wrong: [
    'The registration access token is not that of the client.',
    'Use the token of the last answer of the registration.',
  ],
  registrations_limited: [
    'Too many clients registered within the hour.',
    'Wait, or raise CLIENT_REGISTRATIONS or CLIENT_REGISTRATIONS_PER_ADDRESS.',
  ],
  metadata_refused: ['The metadata of the client is refused.', 'Correct the field that the answer names.'],
  metadata_redirect_uri: [
    'A redirect URI of the client is refused.',
    'Correct the address that the answer names.',
  ],

  stream_request_malformed: [
    'A request about a stream of security events is malformed.',
    'Correct what the answer names.',
  ],
  stream_unknown: [
    'The client has no stream of security events with this id.',
    'Read the stream of the client, or create one.',
  ],
  stream_exists: [
    'The client has a stream of security events, and may have one.',
    'Update or replace its configuration.',
  ],
  stream_not_allowed: [
    'The token is not that of a client which may receive security events.',
    'Get the token by client credentials, and let the client have the scope ssf.manage.',
  ],
  stream_limited: [
    'A receiver of security events asks too often, or for too many people.',
    'Wait as long as the answer says.',
  ],

  admin_request_malformed: ['The request to the admin API is malformed.', 'Correct what the answer names.'],
  admin_cursor_foreign: ['The cursor is not of this list.', 'Start at the first page.'],
  admin_scope_missing: [
    'The access token lacks the scope of the operation.',
    'Ask for that scope: docs/admin-api.md.',
  ],
  admin_right_missing: ['Somebody gave a right that they do not have.', 'Ask an administrator who has it.'],
  admin_record_missing: ['There is no such record.', 'Correct the name in the path.'],
  admin_path_unknown: ['The admin API has no such path.', 'See /admin/v1/openapi.json.'],
  admin_method_unknown: [
    'The path of the admin API does not answer this method.',
    'See the header Allow of the answer.',
  ],
  admin_record_exists: ['The record exists already.', 'Change it, or choose another name.'],
  admin_state_conflict: ['The state of the record does not allow this.', 'Do what the answer says.'],
  admin_last_administrator: ['The last administrator must stay.', 'Make another administrator first.'],
  admin_version_stale: ['The record has changed since it was read.', 'Read it again, and repeat the change.'],
  admin_version_missing: [
    'The change does not say which version was read.',
    'Send If-Match with the ETag of the record.',
  ],
  admin_media_type: [
    'The body has another media type than expected.',
    'Send the type that the answer names.',
  ],
  admin_field_invalid: [
    'A field has a value that it cannot have.',
    'Correct the field that the answer names.',
  ],
  admin_field_unknown: ['There is no such field.', 'Correct the name of the field.'],
  admin_key_reused: ['The Idempotency-Key belongs to another request.', 'Make a new key for each request.'],
  admin_limited: ['Too many requests to the admin API within a minute.', 'Wait for Retry-After.'],
  settings_differ: [
    'This server is set up in another way than the others.',
    'redmint server says in which settings the servers disagree.',
  ],

  storage_away: ['Storage did not answer.', 'Look whether Redis runs and is reached: redmint doctor.'],
  server_fault: ['Something went wrong in the server.', 'The log says what, by the id of the request.'],
}
