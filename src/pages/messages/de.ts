import type { Language } from './language.ts'

export const de: Language = {
  tag: 'de',
  name: 'Deutsch',
  dir: 'ltr',
  messages: {
    login_title: 'Anmelden',
    login_lead: 'um mit {client} auf {host} fortzufahren',
    login_lead_without_host: 'um mit {client} fortzufahren',
    login_username: 'Benutzername oder E-Mail-Adresse',
    login_password: 'Passwort',
    login_submit: 'Anmelden',
    login_submitting: 'Anmeldung läuft…',
    login_show_password: 'Passwort anzeigen',
    login_hide_password: 'Passwort verbergen',
    login_caps_lock: 'Die Feststelltaste ist an.',
    login_forgot_password: 'Passwort vergessen?',
    login_sign_up: 'Konto anlegen',
    login_help: 'Hilfe erhalten',
    login_failed: 'Der Benutzername, die E-Mail-Adresse oder das Passwort stimmt nicht.',
    login_throttled: 'Zu viele Versuche. Bitte versuchen Sie es {when} noch einmal.',
    title_with_problem: 'Fehler: {title}',

    footer_help: 'Hilfe',
    footer_privacy: 'Datenschutz',
    footer_terms: 'Nutzungsbedingungen',
    footer_imprint: 'Impressum',

    account_signed_in: 'Angemeldet als',
    account_other: 'Anderes Konto verwenden',

    select_account_title: 'Konto auswählen',
    select_account_lead: 'um mit {client} auf {host} fortzufahren',
    select_account_lead_without_host: 'um mit {client} fortzufahren',

    consent_title: 'Darf {client} auf Ihr Konto zugreifen?',
    consent_lead: '{client} auf {host} möchte:',
    consent_lead_without_host: '{client} möchte:',
    consent_note: 'Stimmen Sie nur zu, wenn Sie {client} vertrauen. Danach gelangen Sie zurück zu {host}.',
    consent_note_without_host: 'Stimmen Sie nur zu, wenn Sie {client} vertrauen.',
    consent_policy: 'Datenschutz bei {client}',
    consent_terms: 'Bedingungen von {client}',
    consent_self_registered:
      'Diese Anwendung hat sich am {date} selbst registriert. {service} hat nicht geprüft, wer dahintersteht.',
    consent_allow: 'Erlauben',
    consent_deny: 'Ablehnen',
    scope_openid: 'Wissen, wer Sie sind',
    scope_profile: 'Ihr Profil sehen, zum Beispiel Namen und Bild',
    scope_email: 'Ihre E-Mail-Adresse sehen',
    scope_address: 'Ihre Postanschrift sehen',
    scope_phone: 'Ihre Telefonnummer sehen',
    claims_of_scope: 'Diese Angaben Ihres Kontos sehen: {claims}',
    scope_offline_access: 'Diesen Zugriff behalten, auch wenn Sie nicht da sind',

    logout_title: 'Von {service} abmelden?',
    logout_lead: 'Anwendungen, die Sie mit diesem Konto geöffnet haben, melden Sie vielleicht auch ab.',
    logout_submit: 'Abmelden',
    logout_stay: 'Angemeldet bleiben',
    logout_done_title: 'Sie sind abgemeldet',
    logout_done_lead: 'Sie können dieses Fenster jetzt schließen.',
    back_to_client: 'Zurück zu {client}',
    logout_stayed_title: 'Sie sind weiterhin angemeldet',
    logout_stayed_lead: 'Nichts hat sich geändert. Sie können dieses Fenster jetzt schließen.',

    form_post_title: 'Es geht zurück',
    form_post_lead:
      'Sie werden zu {host} zurückgebracht. Wenn nichts geschieht, gehen Sie bitte selbst weiter.',
    form_post_submit: 'Weiter',

    home_title: 'Willkommen',
    home_lead: 'Dies ist ein Server für OAuth 2.0 und OpenID Connect.',
    home_advice:
      'Anwendungen schicken Sie zu {service}, wenn Sie sich bei ihnen anmelden. Von selbst müssen Sie hier nichts tun.',
    home_demo: 'Anmeldung ausprobieren',
    home_docs: 'Beschreibung der API',
    home_discovery: 'Metadaten für Anwendungen',
    demo_title: 'Anmeldung ausprobieren',
    demo_lead:
      'Diese Seite ist eine Anwendung wie Ihre. Sie schickt Sie zur Anmeldung und bekommt Token für Sie.',
    demo_account: 'Melden Sie sich als {username} mit dem Passwort {password} an.',
    demo_sign_in: 'Anmelden',
    demo_signed_in_title: 'Das sind Ihre Token',
    demo_signed_in_lead: 'Die Anwendung hat sie für den Scope {scope} bekommen.',
    demo_api: 'API aufrufen',
    demo_userinfo: 'Angaben zur Person',
    demo_refresh: 'Erneuern',
    demo_sign_out: 'Abmelden',
    demo_answer: 'Antwort',
    demo_id_token: 'Sagt der Anwendung, wer sich angemeldet hat: Header und Claims, dann der signierte Text.',
    demo_jwt: 'Öffnet die API. Es ist ein JWT: Header und Claims, dann der signierte Text.',
    demo_opaque: 'Öffnet die API. Es ist undurchsichtig: Nur dieser Server weiß, was es bedeutet.',
    demo_refresh_token: 'Holt neue Token ohne die Person. Jedes gilt einmal.',
    not_found_title: 'Hier ist keine Seite',
    not_found_what: 'Die Adresse enthält einen Tippfehler, oder die Seite ist umgezogen.',
    not_allowed_title: 'Diese Adresse ist für Anwendungen',
    not_allowed_what:
      'Hierher schicken Anwendungen ihre Anfragen. Für einen Browser gibt es nichts zu zeigen.',
    not_found_advice:
      'Hat eine Anwendung Sie hierher gebracht, gehen Sie zu ihr zurück und beginnen Sie von vorn.',
    not_found_home: 'Startseite',

    error_request_title: 'Dieser Anmeldelink funktioniert nicht',
    error_request_what:
      'Die Anwendung hat {service} eine Anfrage geschickt, die nicht angenommen werden kann.',
    error_request_advice:
      'Gehen Sie zurück zur Anwendung und beginnen Sie von vorn. Geschieht das wieder, schicken Sie die Angaben unten an die Betreiber der Anwendung.',
    error_unknown_client_title: 'Diese Anwendung ist hier nicht bekannt',
    error_unknown_client_what:
      'Entweder wurde sie nie bei {service} registriert, oder sie wurde lange nicht benutzt und ist nicht mehr registriert.',
    error_unknown_client_advice:
      'Gehen Sie zurück zur Anwendung, entfernen Sie dort die Verbindung zu {service} und richten Sie sie neu ein: Dann registriert sie sich neu.',
    error_expired_title: 'Diese Anmeldung ist nicht mehr offen',
    error_expired_what:
      'Sie hat zu lange gedauert, ist schon abgeschlossen oder wurde in einem anderen Browser begonnen.',
    error_expired_advice:
      'Gehen Sie zurück zur Anwendung und melden Sie sich noch einmal an. Ihr Browser muss Cookies von {service} annehmen.',
    error_unavailable_title: 'Die Anmeldung ist gerade nicht möglich',
    error_unavailable_what: 'Ein Teil von {service} ist nicht erreichbar. Es ist nichts verloren.',
    error_unavailable_advice:
      'Bitte versuchen Sie es gleich noch einmal. Bleibt es dabei, schicken Sie die Angaben unten an die Betreiber von {service}.',
    error_fault_title: 'Etwas ist schiefgegangen',
    error_fault_what: 'Der Fehler liegt bei uns, nicht bei Ihnen. Es ist nichts verloren.',
    error_fault_advice:
      'Bitte versuchen Sie es gleich noch einmal. Geschieht das wieder, schicken Sie die Angaben unten an die Betreiber von {service}.',
    error_retry: 'Noch einmal versuchen',
    error_details: 'Angaben',
    error_code: 'Fehler',
    error_meaning: 'Meldung',
    error_description: 'Technisch',
    error_request_id: 'Anfrage',
    code_access_denied: 'Der Zugriff wurde abgelehnt.',
    code_consent_required: 'Sie müssen zuerst zustimmen.',
    code_insufficient_scope: 'Die Anwendung darf das nicht.',
    code_invalid_client: 'Die Anwendung konnte sich nicht ausweisen.',
    code_invalid_client_metadata:
      'Die Anwendung hat sich auf eine Weise beschrieben, die hier nicht angenommen wird.',
    code_invalid_grant: 'Was die Anwendung vorgelegt hat, gilt nicht mehr.',
    code_invalid_redirect_uri:
      'Die Anwendung will Antworten an eine Adresse, die hier nicht angenommen wird.',
    code_invalid_request: 'Die Anfrage der Anwendung ist unvollständig, falsch oder veraltet.',
    code_invalid_scope: 'Die Anwendung wollte Rechte, die sie nicht haben kann.',
    code_invalid_token: 'Der Zugriff der Anwendung ist beendet.',
    code_login_required: 'Sie müssen sich zuerst anmelden.',
    code_registration_not_supported:
      'Die Anwendung wollte sich selbst registrieren. Das ist hier nicht möglich.',
    code_request_not_supported:
      'Die Anwendung hat ihre Anfrage in einer Form geschickt, die hier nicht verstanden wird.',
    code_request_uri_not_supported:
      'Die Anwendung hat die Adresse ihrer Anfrage geschickt, die hier nicht gelesen wird.',
    code_server_error: 'Der Server hat einen Fehler gemacht.',
    code_temporarily_unavailable: 'Der Server kann gerade nicht antworten.',
    code_unauthorized: 'Die Anwendung muss zuerst ihren Zugriff nachweisen.',
    code_unauthorized_client: 'Die Anwendung darf diese Anfrage nicht stellen.',
    code_unmet_authentication_requirements: 'Keine Anmeldung hier ist so stark wie verlangt.',
    code_unsupported_grant_type: 'Die Anwendung wollte Token auf einem Weg, der hier nicht bekannt ist.',
    code_unsupported_response_type: 'Die Anwendung wollte eine Antwort, die hier nicht bekannt ist.',
  },
}
