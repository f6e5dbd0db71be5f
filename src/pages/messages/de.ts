import type { Language } from './language.ts'

export const de: Language = {
  tag: 'de',
  name: 'Deutsch',
  dir: 'ltr',
  messages: {
    login_title: 'Anmelden',
    continue_to: 'weiter zu',
    login_lead_device: 'um ein Gerät zu verbinden',
    login_username: 'Benutzername oder E-Mail-Adresse',
    login_password: 'Passwort',
    login_submit: 'Anmelden',
    login_submitting: 'Anmeldung läuft…',
    login_show_password: 'Passwort anzeigen',
    login_caps_lock: 'Die Feststelltaste ist an.',
    login_forgot_password: 'Passwort vergessen?',
    login_sign_up: 'Konto anlegen',
    login_help: 'Hilfe erhalten',
    login_other: 'Mit einem anderen Konto anmelden',
    login_failed: 'Benutzername oder Passwort ist falsch.',
    login_failed_answer: 'Das stimmt nicht. Bitte versuchen Sie es noch einmal.',
    login_throttled: 'Zu viele Versuche. Bitte versuchen Sie es {when} noch einmal.',
    title_with_problem: 'Fehler: {title}',

    second_step_title: 'Code eingeben',
    second_step_code: 'Code aus Ihrer Authenticator-App',
    second_step_continue: 'Weiter',
    second_step_wrong:
      'Dieser Code hat nicht gepasst. Codes wechseln alle 30 Sekunden; prüfen Sie die Uhrzeit Ihres Telefons.',
    second_step_use_recovery: 'Wiederherstellungscode verwenden',
    second_step_recovery_code: 'Wiederherstellungscode',
    second_step_trust: 'Diesem Browser {days} lang vertrauen',
    second_step_set_up_title: 'Zweiten Schritt einrichten',
    second_step_set_up_lead:
      'Ein Code aus einer App auf Ihrem Telefon schützt dieses Konto zusätzlich zum Passwort. Scannen Sie dieses Bild mit einer Authenticator-App:',
    second_step_qr: 'QR-Code für Ihre Authenticator-App',
    second_step_key: 'Wenn Sie es nicht scannen können, geben Sie diesen Schlüssel in die App ein:',
    second_step_first_code: 'Code, den die App jetzt zeigt',
    second_step_codes_title: 'Wiederherstellungscodes aufbewahren',
    second_step_codes_lead:
      'Wenn Sie Ihr Telefon verlieren, ersetzt jeder dieser Codes es einmal, nach Ihrem Passwort. Bewahren Sie sie dort auf, wo nur Sie sie finden: Sie werden nicht noch einmal gezeigt.',
    second_step_codes_saved: 'Ich habe sie aufbewahrt',
    second_step_too_many: 'Zu viele Codes waren falsch. Bitte melden Sie sich noch einmal an.',
    second_step_over:
      'Das hat zu lange gedauert, oder Ihr Konto wurde inzwischen geändert. Bitte melden Sie sich noch einmal an.',
    second_step_limited:
      'Es waren so viele Codes falsch, dass die Ihrer App nicht mehr zählen. Verwenden Sie einen Wiederherstellungscode, oder fragen Sie nach Hilfe.',
    second_step_use_passkey: 'Dieses Konto hat einen Passkey. Bitte melden Sie sich damit an.',

    footer_language: 'Sprache',
    footer_help: 'Hilfe',
    footer_privacy: 'Datenschutz',
    footer_terms: 'Nutzungsbedingungen',
    footer_imprint: 'Impressum',

    account_signed_in: 'Angemeldet als',
    account_not_you: 'Nicht Sie?',
    account_other: 'Anderes Konto verwenden',

    select_account_title: 'Konto auswählen',

    no_access_title: 'Kein Zugang zu {client}',
    no_access_lead: 'Sie sind angemeldet, aber mit diesem Konto dürfen Sie diese Anwendung nicht benutzen.',
    no_access_ask: 'Wenn Sie Zugang brauchen, wenden Sie sich bitte an die Betreiber von {client}.',
    no_access_not_connect: 'Gerät nicht verbinden',

    consent_title: 'Darf {client} auf Ihr Konto zugreifen?',
    consent_lead_without_host: '{client} möchte:',
    consent_resource: 'Es geht um {resource}.',
    consent_note: 'Stimmen Sie nur zu, wenn Sie {client} vertrauen. Danach gelangen Sie zurück zu {host}.',
    consent_note_without_host: 'Stimmen Sie nur zu, wenn Sie {client} vertrauen.',
    consent_origin:
      'Diese Anwendung ist bei {service} nicht registriert. Sie beschreibt sich selbst auf {host}.',
    consent_local:
      'Sie läuft auf einem Gerät. Jedes Programm auf Ihrem Gerät kann sich als {client} ausgeben: Stimmen Sie nur zu, wenn Sie die Anmeldung gerade selbst begonnen haben.',
    consent_first: 'Soweit {service} weiß, haben Sie ihr noch nicht zugestimmt.',
    consent_unchanged: 'Ihre Beschreibung ist unverändert, seit Sie am {date} zugestimmt haben.',
    consent_changed: 'Seit Sie am {date} zugestimmt haben, hat sich geändert:',
    consent_changed_client_name: 'ihr Name, der {name} war',
    consent_changed_recipient: 'wohin Sie zurückkehren',
    consent_changed_redirect_uris: 'die Adressen, zu denen Sie zurückkehren können',
    consent_changed_pages: 'ihr Logo, ihre Startseite, ihr Datenschutz oder ihre Bedingungen',
    consent_others:
      'Sie kann Sie auch zu anderen zurückbringen wollen. Was Sie jetzt erlauben, gilt nicht für diese:',
    consent_others_more: '{count} weitere',
    consent_other_program: 'ein Programm auf Ihrem Gerät',
    consent_other_app: 'eine App auf Ihrem Gerät mit dem Namen {scheme}',
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
    scope_redmint_read: 'Alle Benutzer, Anwendungen und Einstellungen dieses Dienstes sehen',
    scope_redmint_write: 'Alle Benutzer, Anwendungen und Einstellungen dieses Dienstes ändern',
    scope_redmint_users_read: 'Alle Benutzer sehen, und wo sie angemeldet sind',
    scope_redmint_users_write: 'Benutzer hinzufügen, ändern, entfernen und abmelden',
    scope_redmint_clients_read: 'Alle Anwendungen sehen, bei denen man sich anmeldet, und was sie dürfen',
    scope_redmint_clients_write: 'Anwendungen hinzufügen, ändern und entfernen, und beenden, was sie dürfen',
    scope_redmint_apis_read: 'Die APIs dieses Dienstes sehen, und welchen anderen Diensten er vertraut',
    scope_redmint_apis_write: 'Die APIs dieses Dienstes ändern, und welchen anderen Diensten er vertraut',
    scope_redmint_tokens_read: 'Nachsehen, zu wem ein Zugriff gehört und ob er gilt',
    scope_redmint_tokens_write: 'Einzelne Zugriffe von Anwendungen beenden',
    scope_redmint_keys_read: 'Sehen, wann dieser Dienst die Schlüssel ersetzt hat, mit denen er signiert',
    scope_redmint_keys_write: 'Die Schlüssel ersetzen, mit denen dieser Dienst signiert',
    scope_redmint_server_read: 'Die Server sehen, ihre Einstellungen ohne Geheimnisse, und wer gesperrt ist',
    scope_redmint_server_write: 'Gesperrte Benutzer und Anwendungen wieder zulassen',

    device_title: 'Gerät verbinden',
    device_lead: 'Geben Sie den Code ein, den das Gerät anzeigt.',
    device_code: 'Code des Geräts',
    device_submit: 'Weiter',
    device_wrong:
      'Kein Gerät zeigt diesen Code an. Bitte vergleichen Sie ihn mit dem Gerät: Vielleicht zeigt es inzwischen einen neuen an.',
    device_over:
      'Dieser Code wurde schon verwendet oder ist abgelaufen. Lassen Sie sich vom Gerät einen neuen anzeigen.',
    device_limited: 'Zu viele falsche Codes. Bitte versuchen Sie es {when} noch einmal.',
    device_consent_title: '{client} verbinden?',
    device_consent_lead: 'Vergleichen Sie das mit dem Gerät, das vor Ihnen steht.',
    device_address: 'Adresse',
    device_since: 'Angefragt',
    device_consent_note:
      'Erlauben Sie das nur, wenn Sie selbst damit begonnen haben und das Gerät diesen Code anzeigt. Hat Ihnen jemand den Code oder den Link geschickt? Dann lehnen Sie ab.',
    device_allowed_title: 'Das Gerät ist verbunden',
    device_allowed_lead:
      'Es macht in wenigen Sekunden von selbst weiter. Sie können dieses Fenster jetzt schließen.',
    device_denied_title: 'Das Gerät ist nicht verbunden',
    device_denied_lead: 'Es bekommt keinen Zugriff auf Ihr Konto. Sie können dieses Fenster jetzt schließen.',

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

    repeat_title: 'Einen Moment bitte',
    repeat_lead: 'Es geht von selbst weiter. Wenn nichts geschieht, fahren Sie bitte selbst fort.',

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
    demo_device: 'Gerät ausprobieren',
    demo_device_title: 'Gerät ohne Browser ausprobieren',
    demo_device_lead:
      'Diese Seite ist ein Gerät wie ein Fernseher. Sie zeigt einen Code, und Sie melden sich am Telefon oder in einem anderen Fenster an.',
    demo_device_start: 'Code holen',
    demo_device_shown_title: 'Das Gerät zeigt diesen Code',
    demo_device_open:
      'Öffnen Sie {address} in irgendeinem Browser und geben Sie den Code ein, oder scannen Sie das Bild mit einem Telefon.',
    demo_device_qr: 'QR-Code der Adresse mit dem Code',
    demo_device_window: 'In neuem Fenster öffnen',
    demo_device_note:
      'Diese Seite fragt alle {seconds} Sekunden nach, wie ein echtes Gerät, und macht weiter, wenn Sie es erlauben.',
    demo_device_check: 'Jetzt prüfen',
    demo_device_again: 'Neu beginnen',
    demo_device_tokens_lead: 'Das Gerät hat sie für den Scope {scope} bekommen.',
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
      'Der Link, dem Sie gefolgt sind, nennt eine Anwendung, die {service} nicht kennt.',
    error_unknown_client_advice:
      'Hier können Sie das nicht ändern. Schicken Sie die Angaben unten an die Betreiber der Anwendung: Diese müssen den Link berichtigen oder die Anwendung bei {service} registrieren.',
    error_lapsed_client_title: 'Diese Anwendung ist hier nicht bekannt',
    error_lapsed_client_what:
      'Entweder wurde sie nie bei {service} registriert, oder sie wurde lange nicht benutzt und ist nicht mehr registriert.',
    error_lapsed_client_advice:
      'Gehen Sie zurück zur Anwendung, entfernen Sie dort die Verbindung zu {service} und richten Sie sie neu ein: Dann registriert sie sich neu.',
    error_expired_title: 'Diese Anmeldung ist nicht mehr offen',
    error_expired_what:
      'Sie hat zu lange gedauert, ist schon abgeschlossen oder wurde in einem anderen Browser begonnen.',
    error_expired_advice:
      'Gehen Sie zurück zur Anwendung und melden Sie sich noch einmal an. Ihr Browser muss Cookies von {service} annehmen.',
    error_client_away_title: 'Diese Anwendung lässt sich gerade nicht prüfen',
    error_client_away_what: 'Sie beschreibt sich auf einer Website, die {service} nicht erreicht.',
    error_client_away_advice:
      'Bitte versuchen Sie es gleich noch einmal. Wenn es so bleibt, schicken Sie die Details unten an die Betreiber der Anwendung.',
    error_client_document_title: 'Diese Anwendung lässt sich hier nicht verwenden',
    error_client_document_what: 'Was sie auf ihrer Website über sich sagt, nimmt {service} so nicht an.',
    error_client_document_advice:
      'Schicken Sie die Details unten an die Betreiber der Anwendung. Ein neuer Versuch hilft erst, wenn sie es geändert haben.',
    error_unavailable_title: 'Die Anmeldung ist gerade nicht möglich',
    error_unavailable_what: 'Ein Teil von {service} ist nicht erreichbar. Es ist nichts verloren.',
    error_unavailable_advice:
      'Bitte versuchen Sie es gleich noch einmal. Bleibt es dabei, schicken Sie die Angaben unten an die Betreiber von {service}.',
    error_fault_title: 'Etwas ist schiefgegangen',
    error_fault_what: 'Der Fehler liegt bei uns, nicht bei Ihnen. Es ist nichts verloren.',
    error_fault_advice:
      'Bitte versuchen Sie es gleich noch einmal. Geschieht das wieder, schicken Sie die Angaben unten an die Betreiber von {service}.',
    error_logout_title: 'Die Abmeldung hat nicht funktioniert',
    error_logout_what: 'Sie sind möglicherweise noch bei {service} angemeldet.',
    error_logout_advice:
      'Bitte versuchen Sie es gleich noch einmal. Geschieht das wieder, schicken Sie die Angaben unten an die Betreiber von {service}.',
    error_retry: 'Noch einmal versuchen',
    error_details: 'Für den Support',
    error_time: 'Zeit',
    error_code: 'Fehler',
    error_meaning: 'Meldung',
    error_description: 'Technisch',
    error_sent_address: 'Adresse im Link',
    error_registered_addresses: 'Registrierte Adressen',
    error_request_id: 'Anfrage',
    code_access_denied: 'Der Zugriff wurde abgelehnt.',
    code_authorization_pending: 'Der Benutzer des Geräts hat noch nicht geantwortet.',
    code_consent_required: 'Sie müssen zuerst zustimmen.',
    code_expired_token: 'Der Code des Geräts ist abgelaufen.',
    code_insufficient_scope: 'Die Anwendung darf das nicht.',
    code_insufficient_user_authentication: 'Dafür ist eine neuere oder stärkere Anmeldung nötig.',
    code_invalid_client: 'Die Anwendung konnte sich nicht ausweisen.',
    code_invalid_client_metadata:
      'Die Anwendung hat sich auf eine Weise beschrieben, die hier nicht angenommen wird.',
    code_invalid_dpop_proof: 'Die Anwendung hat nicht belegt, dass sie den Schlüssel ihrer Anfrage hat.',
    code_invalid_grant: 'Was die Anwendung vorgelegt hat, gilt nicht mehr.',
    code_invalid_redirect_uri:
      'Die Anwendung will Antworten an eine Adresse, die hier nicht angenommen wird.',
    code_invalid_request: 'Die Anfrage der Anwendung ist unvollständig, falsch oder veraltet.',
    code_invalid_request_object: 'Die signierte Anfrage der Anwendung ist ungültig.',
    code_invalid_request_uri:
      'Die Anfrage, die die Anwendung vorbereitet hat, ist vorbei oder gehört zu einer anderen.',
    code_invalid_scope: 'Die Anwendung wollte Rechte, die sie nicht haben kann.',
    code_invalid_target: 'Die Anwendung wollte etwas, das dieser Dienst nicht kennt.',
    code_invalid_token: 'Der Zugriff der Anwendung ist beendet.',
    code_login_required: 'Sie müssen sich zuerst anmelden.',
    code_registration_not_supported:
      'Die Anwendung wollte sich selbst registrieren. Das ist hier nicht möglich.',
    code_request_not_supported:
      'Die Anwendung hat ihre Anfrage in einer Form geschickt, die hier nicht verstanden wird.',
    code_request_uri_not_supported:
      'Die Anwendung hat die Adresse ihrer Anfrage geschickt, die hier nicht gelesen wird.',
    code_server_error: 'Der Server hat einen Fehler gemacht.',
    code_slow_down: 'Das Gerät fragt zu oft.',
    code_temporarily_unavailable: 'Der Server kann gerade nicht antworten.',
    code_unauthorized: 'Die Anwendung muss zuerst ihren Zugriff nachweisen.',
    code_unauthorized_client: 'Die Anwendung darf diese Anfrage nicht stellen.',
    code_unmet_authentication_requirements: 'Keine Anmeldung hier ist so stark wie verlangt.',
    code_unsupported_grant_type: 'Die Anwendung wollte Token auf einem Weg, der hier nicht bekannt ist.',
    code_unsupported_response_type: 'Die Anwendung wollte eine Antwort, die hier nicht bekannt ist.',
    code_use_dpop_nonce: 'Die Anwendung muss ihre Anfrage mit einem neuen Wert wiederholen.',
  },
}
