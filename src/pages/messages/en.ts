/** English: the reference for the other languages, and the default. */
export const en = {
  tag: 'en',
  dir: 'ltr',
  messages: {
    login_title: 'Sign in',
    login_lead: 'to continue to {client} at {host}',
    login_lead_without_host: 'to continue to {client}',
    login_username: 'Username',
    login_password: 'Password',
    login_submit: 'Sign in',
    login_failed: 'The username or the password is not right.',
    login_throttled: 'Too many attempts. Please try again {when}.',
    title_with_problem: 'Error: {title}',

    account_signed_in: 'Signed in as',
    account_other: 'Use another account',

    select_account_title: 'Choose an account',
    select_account_lead: 'to continue to {client} at {host}',
    select_account_lead_without_host: 'to continue to {client}',

    consent_title: 'Allow {client} to access your account?',
    consent_lead: '{client} at {host} would like to:',
    consent_lead_without_host: '{client} would like to:',
    consent_note: 'Allow this only if you trust {client}. You will be taken back to {host}.',
    consent_note_without_host: 'Allow this only if you trust {client}.',
    consent_allow: 'Allow',
    consent_deny: 'Do not allow',
    scope_openid: 'Know who you are',
    scope_profile: 'See your profile, such as your name and picture',
    scope_email: 'See your email address',
    scope_address: 'See your postal address',
    scope_phone: 'See your phone number',
    claims_of_scope: 'See these details of your account: {claims}',
    scope_offline_access: 'Keep this access while you are away',

    logout_title: 'Sign out of {service}?',
    logout_lead: 'Applications that you opened with this account may sign you out too.',
    logout_submit: 'Sign out',
    logout_stay: 'Stay signed in',
    logout_done_title: 'You are signed out',
    logout_done_lead: 'You can close this window now.',
    logout_stayed_title: 'You are still signed in',
    logout_stayed_lead: 'Nothing has changed. You can close this window now.',

    form_post_title: 'Taking you back',
    form_post_lead: 'You are being taken back to {host}. If nothing happens, please continue yourself.',
    form_post_submit: 'Continue',

    error_request_title: 'This sign-in link does not work',
    error_request_what: 'The application sent {service} a request that it cannot accept.',
    error_request_advice:
      'Go back to the application and start again. If this happens again, send the details below to the people who run the application.',
    error_expired_title: 'This sign-in is no longer open',
    error_expired_what: 'It took too long, was finished already, or was begun in another browser.',
    error_expired_advice:
      'Go back to the application and sign in again. Your browser has to accept cookies of {service}.',
    error_unavailable_title: 'Signing in is not possible right now',
    error_unavailable_what: 'A part of {service} cannot be reached. Nothing is lost.',
    error_unavailable_advice:
      'Please try again in a moment. If it goes on, send the details below to the people who run {service}.',
    error_fault_title: 'Something went wrong',
    error_fault_what: 'The fault is ours, not yours. Nothing is lost.',
    error_fault_advice:
      'Please try again in a moment. If this happens again, send the details below to the people who run {service}.',
    error_retry: 'Try again',
    error_details: 'Details',
    error_code: 'Error',
    error_description: 'Message',
    error_request_id: 'Request',
  },
} as const
