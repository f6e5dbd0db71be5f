import type { ReasonTexts } from './reason-texts.ts'

/** What happened, and what to change, in German. */
export const TEXTS_DE: ReasonTexts = {
  too_much_to_do: [
    'Die Anfrage wartete länger als zwei Sekunden: Der Prozess hat zu viel zu tun.',
    'Prüfen Sie die CPU des Prozesses, und starten Sie mehr Worker oder Replikate.',
  ],
  body_too_large: ['Der Inhalt der Anfrage ist zu groß.', 'Senden Sie weniger in einer Anfrage.'],
  body_not_a_form: [
    'Der Inhalt ist kein Formular.',
    'Senden Sie die Parameter als application/x-www-form-urlencoded, nicht als JSON.',
  ],
  body_not_json: ['Der Inhalt ist kein JSON.', 'Senden Sie die Metadaten als application/json.'],
  request_malformed: [
    'Die Anfrage ist fehlerhaft.',
    'Die Zeile der Anfrage im Protokoll sagt, was falsch ist.',
  ],
  several_authorization_headers: [
    'Die Anfrage hat mehr als einen Header Authorization.',
    'Finden Sie heraus, welche Bibliothek oder welcher Proxy einen zweiten hinzufügt, und senden Sie einen.',
  ],
  certificate_header_untrusted: [
    'Ein Client-Zertifikat in einem Header kam nicht vom Proxy.',
    'Prüfen Sie TRUSTED_PROXIES und das Geheimnis, das der Proxy in Client-Cert-Secret sendet.',
  ],
  demo_from_outside: [
    'Der Demo-Modus wurde unter einem Namen gefragt, der nicht der dieser Maschine ist, oder über einen Proxy.',
    'Setzen Sie DEMO=false und legen Sie eigene Clients und Benutzer an, oder DEMO=public und ISSUER für eine öffentliche Demonstration.',
  ],
  parameters_too_many: ['Die Anfrage hat zu viele Parameter.', 'Senden Sie höchstens 100 Parameter.'],
  parameter_missing: [
    'Ein nötiger Parameter fehlt.',
    'Senden Sie den Parameter, der als erwartet genannt ist.',
  ],
  parameter_repeated: ['Ein Parameter kommt mehr als einmal vor.', 'Senden Sie jeden Parameter einmal.'],
  parameter_unreadable: [
    'Ein Parameter ist nicht lesbar: Er hat Steuerzeichen oder ist kein prozentkodiertes UTF-8.',
    'Kodieren Sie die Parameter als application/x-www-form-urlencoded.',
  ],
  forward_auth_answer: [
    'Ein Browser kam von einer Anmeldung für eine Anwendung hinter einem Proxy zurück, die er nicht begonnen hat oder die abgelehnt wurde.',
    'Öffnen Sie die Anwendung noch einmal. Geschieht es jedes Mal, muss der Proxy Cookies und /.redmint/ des Hosts weitergeben.',
  ],
  webfinger_resource: [
    'WebFinger wurde nach einer Adresse eines anderen Hosts gefragt.',
    'Nennen Sie den Host in WEBFINGER_HOSTS, wenn dieser Server sein Issuer ist.',
  ],
  language_unknown: [
    'Eine Seite wurde in einer Sprache verlangt, die es nicht gibt.',
    'Es ist nichts zu ändern.',
  ],

  client_unknown: [
    'Kein Client hat diese client_id, oder er ist gesperrt oder fehlerhaft.',
    'Korrigieren Sie die client_id in der Anwendung, oder sehen Sie redmint client show und redmint client lint an. Ist es ein anderer Server?',
  ],
  client_unnamed: [
    'Die Anfrage nennt keinen Client.',
    'Senden Sie client_id oder Basic-Zugangsdaten. Ist die Variable mit den Zugangsdaten in der Anwendung gesetzt?',
  ],
  client_document_unusable: [
    'Das Metadaten-Dokument an der client_id ist nicht verwendbar.',
    'Der Client hat in dieser Anfrage nichts falsch gemacht: Wer ihn betreibt, korrigiert das Dokument, wie die Zeile im Protokoll es sagt. `code` sagt, was nicht stimmt; redmint explain --last 20 zeigt, ob es anderen auch so geht.',
  ],
  client_document_away: [
    'Das Metadaten-Dokument an der client_id ist gerade nicht abrufbar.',
    'Es liegt am Host des Dokuments oder am Weg dorthin: `code` sagt, woran. Prüfen Sie, ob dieser Server ihn erreicht; redmint explain --last 20 zeigt, ob es anderen auch so geht.',
  ],
  client_keys_away: [
    'Die Schlüssel des Clients sind gerade nicht abrufbar.',
    'Es liegt am Host der Schlüssel oder am Weg dorthin: `code` sagt, woran. redmint client keys show NAME fragt ihn von dort, wo es läuft.',
  ],
  client_is_public: [
    'Ein öffentlicher Client verlangte, was nur Clients mit Zugangsdaten dürfen.',
    'Registrieren Sie dafür einen Client mit Geheimnis oder Schlüsseln.',
  ],
  client_authentications_several: [
    'Die Anfrage hat mehr als eine Art von Zugangsdaten des Clients.',
    'Senden Sie entweder Basic oder client_secret oder client_assertion.',
  ],
  client_ids_differ: [
    'Die client_id ist eine andere als die der Zugangsdaten.',
    'Senden Sie eine client_id, die zu den Zugangsdaten gehört.',
  ],
  client_credentials_malformed: [
    'Die Basic-Zugangsdaten sind nicht lesbar.',
    'Kodieren Sie client_id und Geheimnis als Formular, und beides dann mit Base64 (RFC 6749, Abschnitt 2.3.1).',
  ],
  client_credentials_wrong: [
    'Der Client hat nicht bewiesen, wer er ist: Das Geheimnis ist falsch oder fehlt, oder er muss sich anders ausweisen.',
    'Vergleichen Sie das Geheimnis der Anwendung mit einem neuen: redmint client rotate-secret. redmint client show sagt, wie er sich ausweisen muss.',
  ],
  client_authentication_limited: [
    'Der Client hat sich von dieser Adresse zu oft falsch ausgewiesen, darum werden seine Zugangsdaten vorerst nicht geprüft.',
    'Korrigieren Sie das Geheimnis, wo es falsch ist; redmint limits zeigt die Sperre und hebt sie auf.',
  ],
  client_assertion_incomplete: [
    'client_assertion und client_assertion_type kommen nicht zusammen, oder der Typ ist ein anderer.',
    'Senden Sie beide, mit dem Typ aus RFC 7523.',
  ],
  client_assertion_malformed: [
    'Die client_assertion ist kein lesbares JWT.',
    'Senden Sie ein signiertes JWT mit einem Algorithmus, den dieser Server unterstützt.',
  ],
  client_assertion_claims: [
    'Ein Claim der client_assertion fehlt oder ist falsch.',
    'Setzen Sie die Claims wie erwartet: iss und sub sind die client_id, aud ist der Issuer dieses Servers.',
  ],
  client_assertion_clock: [
    'Die client_assertion ist zur Zeit dieses Servers nicht gültig.',
    'Stellen Sie die Uhr des Clients, und erzeugen Sie für jede Anfrage eine neue Assertion.',
  ],
  client_assertion_unproven: [
    'Die Signatur der client_assertion stammt nicht von einem Schlüssel des Clients.',
    'Tragen Sie den öffentlichen Schlüssel in jwks oder an der jwks_uri des Clients ein, mit der kid der Assertion.',
  ],
  client_assertion_issuer: [
    'Dem Aussteller der client_assertion vertraut dieser Server für den Client nicht.',
    'Tragen Sie ihn mit redmint issuer add ein, und nennen Sie ihn in assertion_issuer des Clients.',
  ],
  client_assertion_client: [
    'Die client_assertion betrifft keinen Client, der sie verwenden darf.',
    'Vergleichen Sie sub und die anderen Claims mit den assertion-Feldern des Clients.',
  ],
  client_assertion_used: [
    'Die client_assertion wurde schon verwendet.',
    'Erzeugen Sie für jede Anfrage eine neue Assertion mit neuer jti. Tut der Client das, hat jemand sie kopiert.',
  ],
  client_assertions_limited: [
    'Ein Client, der sich selbst beschreibt, sandte zu viele Assertions in einer Minute.',
    'Lassen Sie den Client seine Token behalten, solange sie gelten.',
  ],
  client_certificate_missing: [
    'Die Token des Clients sind an ein Zertifikat gebunden, und die Anfrage hat kein verwendbares.',
    'Senden Sie das Client-Zertifikat, und lassen Sie den Proxy es weitergeben.',
  ],
  client_encryption_key_missing: [
    'Antworten an den Client sind zu verschlüsseln, und er hat dafür keinen Schlüssel.',
    'Fügen Sie dem Schlüsselsatz des Clients einen Schlüssel mit "use": "enc" hinzu.',
  ],

  request_and_request_uri: ['Die Anfrage hat request und request_uri.', 'Senden Sie eines von beiden.'],
  request_uri_unusable: [
    'Die request_uri wurde verwendet, ist abgelaufen oder gehört einem anderen Client.',
    'Senden Sie für jede Anmeldung eine neue Anfrage vorab. Das trifft auch, wer im Browser zurückgeht.',
  ],
  request_object_malformed: ['Das Request-Objekt ist kein lesbares JWT.', 'Senden Sie ein signiertes JWT.'],
  request_object_claims: [
    'Ein Claim des Request-Objekts fehlt oder ist falsch.',
    'Setzen Sie die Claims wie erwartet.',
  ],
  request_object_clock: [
    'Das Request-Objekt ist zur Zeit dieses Servers nicht gültig.',
    'Stellen Sie die Uhr des Clients, und erzeugen Sie für jede Anfrage ein neues Objekt.',
  ],
  request_object_unproven: [
    'Die Signatur des Request-Objekts stammt nicht von einem Schlüssel des Clients.',
    'Tragen Sie den öffentlichen Schlüssel in jwks oder an der jwks_uri des Clients ein, mit der kid des Objekts.',
  ],
  redirect_uri_unregistered: [
    'Die redirect_uri ist für den Client nicht Zeichen für Zeichen registriert.',
    'Korrigieren Sie sie in der Anwendung, oder registrieren Sie sie: redmint client update mit jeder --redirect-uri, denn eine neue Liste ersetzt die alte.',
  ],
  request_unsupported: [
    'Ein unsigniertes Request-Objekt wird nicht unterstützt.',
    'Signieren Sie das Objekt, oder senden Sie seine Parameter.',
  ],
  request_uri_foreign: [
    'Die request_uri stammt nicht von diesem Server.',
    'Senden Sie die Anfrage an den PAR-Endpunkt, und verwenden Sie die request_uri seiner Antwort.',
  ],
  registration_unsupported: [
    'Der Parameter registration wird nicht unterstützt.',
    'Registrieren Sie den Client vorher.',
  ],
  request_unsigned: [
    'Der Client muss seine Anfragen signieren, und diese ist nicht signiert.',
    'Senden Sie ein Request-Objekt, oder ändern Sie require_signed_request_object des Clients.',
  ],
  request_not_pushed: [
    'Die Anfrage muss vorab gesendet werden (PAR), und wurde es nicht.',
    'Senden Sie sie vorab, oder ändern Sie require_pushed_authorization_requests des Clients oder des Servers.',
  ],
  request_uri_pushed: [
    'Eine vorab gesendete Anfrage hat den Parameter request_uri.',
    'Senden Sie die Parameter selbst.',
  ],
  logout_token_refused: [
    'Ein Logout-Token, das von einem Anbieter sein soll, wird abgelehnt.',
    'Vergleichen Sie Aussteller, Empfänger und Zeit mit dem Eintrag des Anbieters.',
  ],
  pushing_limited: [
    'Öffentliche Clients sandten von dieser Adresse zu viele Anfragen vorab.',
    'Warten Sie; erhöhen Sie PAR_REQUESTS, wenn viele Menschen die Adresse teilen. Ist TRUSTED_PROXIES gesetzt?',
  ],
  response_type_unsupported: [
    'Der response_type ist nicht code.',
    'Verwenden Sie den Authorization-Code-Ablauf.',
  ],
  response_mode_unsupported: [
    'Der response_mode wird nicht unterstützt.',
    'Lassen Sie ihn weg, oder senden Sie einen der erwarteten.',
  ],
  response_unsigned: [
    'Antworten an diesen Client müssen signiert sein, und der response_mode hat keine Signatur.',
    'Senden Sie response_mode jwt.',
  ],
  request_too_long: [
    'Die Anfrage ist zu lang, um im Browser zu warten.',
    'Kürzen Sie die Parameter, oder senden Sie sie vorab (PAR).',
  ],
  pkce_challenge_missing: [
    'Die Anfrage hat keine code_challenge, und der Client muss PKCE verwenden.',
    'Schalten Sie PKCE mit S256 in der Anwendung ein. Ein vertraulicher Client, der es nicht kann, wird durch require_pkce ausgenommen.',
  ],
  pkce_method: ['Die code_challenge_method ist nicht S256.', 'Senden Sie code_challenge_method S256.'],
  pkce_challenge_malformed: [
    'Die code_challenge ist kein SHA-256-Wert in base64url.',
    'Senden Sie den SHA-256-Wert des Verifiers, 43 Zeichen, ohne Füllzeichen.',
  ],
  dpop_jkt_malformed: [
    'dpop_jkt ist kein Fingerabdruck eines Schlüssels.',
    'Senden Sie den SHA-256-Fingerabdruck in base64url, 43 Zeichen.',
  ],
  max_age_malformed: ['max_age ist keine Zahl von Sekunden.', 'Senden Sie eine ganze Zahl.'],
  prompt_malformed: [
    'prompt hat einen Wert, den es hier nicht gibt, oder none oder create neben einem anderen.',
    'Senden Sie none allein, create allein, wo SIGN_UP offen ist, oder einige von login, consent und select_account.',
  ],
  claims_malformed: [
    'Der Parameter claims ist nicht lesbar.',
    'Senden Sie JSON nach OpenID Connect Core, Abschnitt 5.5.',
  ],
  id_token_hint_foreign: [
    'Der id_token_hint ist kein id_token, das dieser Server diesem Client gab.',
    'Senden Sie das letzte id_token der Anmeldung, oder lassen Sie den Parameter weg.',
  ],
  acr_impossible: [
    'Die Anfrage verlangt eine acr, die hier keine Art der Anmeldung hat.',
    'Verlangen Sie eine der erwarteten, oder schalten Sie den zweiten Schritt oder Passkeys ein.',
  ],
  demo_subject_malformed: [
    'Der Parameter subject des Demo-Modus ist kein verwendbarer Name.',
    'Senden Sie 1 bis 255 druckbare ASCII-Zeichen.',
  ],
  subject_is_client: [
    'Die sub des Benutzers gleicht einer client_id, was zu Verwechslungen führen könnte.',
    'Geben Sie dem Benutzer eine andere sub oder dem Client eine andere client_id.',
  ],
  browser_request_ended: [
    'Die Seite wurde zu spät, zweimal, in einem anderen Browser oder mit dem Formular einer anderen Website verwendet.',
    'Beginnen Sie in der Anwendung neu. Geschieht es oft, prüfen Sie SIGN_IN_TTL, und ob Cookies den Server erreichen.',
  ],
  login_required: [
    'Niemand ist angemeldet, oder nicht kürzlich genug, und der Client wollte, dass niemand gefragt wird.',
    'Nichts ist falsch, wenn die Anwendung nur nachsieht, ob jemand angemeldet ist; sonst senden Sie kein prompt=none.',
  ],
  other_user_signed_in: [
    'Ein anderer Benutzer ist angemeldet, als die Anfrage verlangt.',
    'Melden Sie sich zuerst ab, oder lassen Sie die Anwendung keinen id_token_hint und keine sub senden.',
  ],
  sign_in_refused: [
    'Die Anmeldeseite Ihrer Anwendung (LOGIN_URL) sagte, dass der Benutzer sich nicht anmeldet.',
    'Nichts ist falsch, wenn der Benutzer aufgab; sonst sehen Sie dort nach.',
  ],
  acr_too_weak: [
    'Die Anmeldung ist schwächer, als der Client verlangt.',
    'Melden Sie sich mit dem zweiten Schritt oder einem Passkey an, oder lassen Sie den Client weniger verlangen.',
  ],
  sign_ins_too_many: [
    'In diesem Augenblick melden sich zu viele Menschen an.',
    'Erhöhen Sie ARGON2_CONCURRENCY oder die Zahl der Replikate, wenn es andauert; es können massenhafte Rateversuche sein.',
  ],
  directory_away: [
    'Das Verzeichnis, das Namen und Passwörter kennt, ist nicht nutzbar.',
    '`step` und `code` sagen, woran es liegt. Fragen Sie, was nicht stimmt: redmint directory test.',
  ],
  consent_needed: [
    'Der Benutzer hat noch nicht zugestimmt, und der Client wollte, dass niemand gefragt wird.',
    'Senden Sie die Anfrage einmal ohne prompt=none, oder setzen Sie first_party beim Client.',
  ],
  consent_refused: [
    'Der Benutzer hat abgelehnt, was der Client verlangte.',
    'Nichts ist falsch: Es war die Entscheidung des Benutzers.',
  ],
  access_by_group: [
    'Der Benutzer ist in keiner der Gruppen, die den Client verwenden dürfen.',
    'Nehmen Sie den Benutzer in eine Gruppe aus allowed_groups des Clients auf, oder ändern Sie diese.',
  ],

  password_wrong: [
    'Das Passwort ist falsch.',
    'Geben Sie dem Benutzer einen Link zu einem neuen: redmint user reset-link.',
  ],
  own_page_failed: [
    'Die Seite Ihrer Anwendung (LOGIN_URL oder CONSENT_URL) schickte den Browser mit einer Antwort zurück, die nicht zählt. Der Benutzer hat nichts falsch gemacht.',
    '`code` sagt, warum: kein Verifier, ein unbekannter, abgelaufener oder benutzter, einer für eine andere Anfrage oder eine Ablehnung, die nicht über die Admin-API kam. Einmal ist es eine neu geladene Seite; sonst korrigieren Sie die Anwendung. redmint explain --last 20 zeigt die letzten.',
  ],
  upstream_failed: [
    'Ein Anbieter für Anmeldungen antwortete nicht, wie er muss, oder ist ausgeschaltet: `step` und `code` sagen, woran es lag. Der Benutzer hat nichts falsch gemacht.',
    'redmint provider test NAME sagt, was mit dem Anbieter ist; redmint provider show NAME zeigt seinen letzten Fehler.',
  ],
  upstream_denied: [
    'Der Benutzer brach beim Anbieter ab, oder der Anbieter lehnte ab.',
    'Hier ist nichts zu tun, außer es geht vielen so: redmint provider test NAME.',
  ],
  upstream_account: [
    'Der Benutzer wies sich bei einem Anbieter oder Verzeichnis aus, aber kein Konto hier kann benutzt werden: `code` sagt, warum.',
    '`no_account`: laden Sie den Benutzer ein, oder lassen Sie die erste Anmeldung Konten anlegen; `known`: verknüpfen Sie das Konto von Hand (--linked-subject); `domain`: siehe email_domains; `several`: zwei Konten haben die Verknüpfung; `busy`: noch einmal versuchen.',
  ],
  password_expired: [
    'Laut dem Verzeichnis war das Passwort richtig und muss geändert werden, bevor es wieder gilt.',
    'Der Benutzer ändert es dort, wo das Verzeichnis Passwörter ändern lässt; CHANGE_PASSWORD_URL führt von der Seite dorthin.',
  ],
  user_unknown: [
    'Kein Benutzer hat den eingegebenen Namen. Er wird nicht gezeigt: Menschen geben Passwörter in das falsche Feld ein.',
    'Suchen Sie den Benutzer mit redmint user list, oder laden Sie jemanden ein.',
  ],
  user_disabled: ['Das Konto des Benutzers ist gesperrt.', 'redmint user enable entsperrt es.'],
  user_without_password: [
    'Der Benutzer hat kein Passwort.',
    'Geben Sie dem Benutzer einen Link, um eines zu wählen: redmint user reset-link.',
  ],
  sign_in_answer_wrong: [
    'Die Antwort auf einen Schritt der Anmeldung ist falsch, etwa der Code einer App oder ein Passkey.',
    'Lassen Sie es den Benutzer noch einmal versuchen; redmint user reset-factors entfernt, was verloren ist.',
  ],
  sign_in_not_fresh: [
    'Die Anfrage verlangt eine frische Anmeldung, und ein Anbieter oder die eigene Anmeldung sagte nicht, dass es eine gab.',
    'Lassen Sie den Benutzer sich dort erst abmelden. Ein Anbieter ohne auth_time, etwa GitHub, belegt keine frische Anmeldung: Fügen Sie einen anderen Weg hinzu.',
  ],
  sign_ins_limited: [
    'Zu viele Anmeldungen schlugen fehl, darum wird vorerst keine versucht.',
    'redmint limits zeigt die Sperre; redmint user unlock hebt sie auf. Ist hinter einem Proxy TRUSTED_PROXIES gesetzt?',
  ],
  second_step_limited: [
    'So viele Codes des zweiten Schritts waren falsch, dass vorerst keiner zählt: Jemand kennt vielleicht das Passwort.',
    'Lassen Sie den Benutzer ein neues Passwort wählen und einen Wiederherstellungscode verwenden, oder redmint user reset-factors.',
  ],
  user_code_limited: [
    'Zu viele falsche Benutzercodes von Geräten wurden eingegeben.',
    'Warten Sie, oder heben Sie die Sperre mit redmint limits lift auf.',
  ],
  user_code_wrong: [
    'Kein Gerät wartet auf den eingegebenen Benutzercode.',
    'Geben Sie den Code ein, den das Gerät jetzt zeigt; er kann abgelaufen sein.',
  ],
  link_over: [
    'Ein Link einer Mail oder eines Betreibers gilt nicht mehr, oder sein Formular kam aus einem anderen Browser.',
    'Er wurde benutzt, ist abgelaufen, oder das Konto hat sich seither geändert: Senden Sie einen neuen. `link` sagt, wozu er war: redmint user reset-link, redmint user invite. Auch Mailprogramme, die lange Adressen abschneiden, machen ihn unbrauchbar.',
  ],
  logout_request_wrong: [
    'Die Abmelde-Anfrage ist fehlerhaft, darum kehrt sie nicht zum Client zurück.',
    'Korrigieren Sie, was genannt ist: id_token_hint, client_id oder post_logout_redirect_uri, die registriert sein muss.',
  ],

  scope_not_allowed: [
    'Der Client verlangte einen Scope, den er nicht erhalten darf.',
    'Verlangen Sie weniger, oder fügen Sie den Scope hinzu: redmint client update mit jedem --scope, denn eine neue Liste ersetzt die alte.',
  ],
  scope_not_of_resource: [
    'Der Client verlangte einen Scope, den die Ressource nicht hat.',
    'Verlangen Sie Scopes der Ressource, oder fügen Sie ihn ihr hinzu: redmint resource update mit jedem --scope, denn eine neue Liste ersetzt die alte.',
  ],
  resource_malformed: [
    'resource ist keine Adresse einer Ressource.',
    'Senden Sie in jedem Parameter resource eine absolute URI.',
  ],
  resource_unknown: [
    'Die Ressource ist nicht registriert.',
    'Korrigieren Sie sie, oder registrieren Sie sie: redmint resource add.',
  ],
  resource_disabled: ['Die Ressource ist gesperrt.', 'Entsperren Sie sie: redmint resource enable.'],
  resources_several: [
    'Die Token-Anfrage nennt mehrere Ressourcen.',
    'Verlangen Sie für jede Ressource ein eigenes Token.',
  ],
  resource_without_scope: [
    'Der Client darf keinen Scope der Ressource erhalten.',
    'Fügen Sie allowed_scopes des Clients einen Scope der Ressource hinzu.',
  ],
  resource_not_granted: [
    'Die Ressource ist keine von denen der Anmeldung.',
    'Nennen Sie sie auch in der Autorisierungsanfrage, oder verlangen Sie eine der gewährten.',
  ],

  grant_type_unsupported: [
    'Der grant_type wird nicht unterstützt.',
    'Verwenden Sie einen, den das Discovery-Dokument nennt.',
  ],
  grant_type_not_registered: [
    'Der Client ist für diesen Grant nicht registriert.',
    'Fügen Sie ihn grant_types des Clients hinzu, oder verwenden Sie einen anderen.',
  ],
  grant_type_needs_secret: [
    'Ein öffentlicher Client verlangte einen Grant, der Zugangsdaten braucht.',
    'Registrieren Sie dafür einen Client mit Geheimnis oder Schlüsseln.',
  ],
  proof_missing: [
    'Die Anfrage hat keinen DPoP-Beweis, und der Client muss einen senden.',
    'Senden Sie den Header DPoP, oder ändern Sie dpop_bound_access_tokens des Clients.',
  ],
  proof_malformed: [
    'Der DPoP-Beweis ist kein lesbares JWT.',
    'Erzeugen Sie ihn nach RFC 9449, Abschnitt 4.2.',
  ],
  proof_claims: [
    'Ein Claim des DPoP-Beweises fehlt oder ist falsch.',
    'Setzen Sie htm und htu auf Methode und Adresse dieser Anfrage. Ist ISSUER hinter einem Proxy die Adresse, die Clients verwenden?',
  ],
  proof_clock: [
    'Der DPoP-Beweis ist zur Zeit dieses Servers nicht gültig.',
    'Stellen Sie die Uhr des Clients, und erzeugen Sie für jede Anfrage einen neuen Beweis.',
  ],
  proof_nonce: [
    'Der DPoP-Beweis hat keine Nonce dieses Servers oder eine alte.',
    'Einmal ist nichts falsch: Der Client sendet einen neuen Beweis mit der Nonce der Antwort.',
  ],
  proof_used: [
    'Der DPoP-Beweis wurde schon verwendet.',
    'Erzeugen Sie für jede Anfrage einen neuen Beweis mit neuer jti. Tut der Client das, hat jemand ihn kopiert.',
  ],
  proof_other_key: [
    'Der DPoP-Beweis stammt von einem anderen Schlüssel als erwartet.',
    'Verwenden Sie für die ganze Anmeldung denselben Schlüssel.',
  ],
  proofs_away: [
    'Ob der DPoP-Beweis schon verwendet wurde, ist gerade nicht festzustellen.',
    'Prüfen Sie, ob der Speicher antwortet: redmint doctor.',
  ],
  code_malformed: [
    'Der Code stammt nicht von diesem Server.',
    'Senden Sie den Wert von code aus der Weiterleitung, einmal dekodiert.',
  ],
  code_unknown: [
    'Der Code ist abgelaufen, wurde beendet oder war nie da.',
    'Tauschen Sie den Code sofort und einmal ein. CODE_TTL sagt, wie lange er gilt.',
  ],
  code_spent: [
    'Der Code wurde schon eingetauscht, und seine Token sind jetzt widerrufen.',
    'Finden Sie heraus, wer ihn zweimal sendet: eine neu geladene Seite, eine Wiederholung oder jemand, der ihn kopiert hat.',
  ],
  code_of_other_client: [
    'Der Code wurde einem anderen Client gegeben.',
    'Verwenden Sie in Autorisierungs- und Token-Anfrage dieselbe client_id.',
  ],
  code_redirect_uri: [
    'Die redirect_uri ist nicht die der Autorisierungsanfrage.',
    'Senden Sie in beiden Anfragen dieselbe redirect_uri, Zeichen für Zeichen.',
  ],
  code_verifier_missing: [
    'Der code_verifier fehlt, und die Autorisierungsanfrage hatte eine code_challenge.',
    'Senden Sie den Verifier. Hat die Anwendung ihn zwischen den beiden Anfragen verloren?',
  ],
  code_verifier_wrong: [
    'Der code_verifier passt nicht zur code_challenge.',
    'Senden Sie den Verifier derselben Anmeldung als Text, nicht seinen Hash.',
  ],
  code_other_key: [
    'Der Code ist an einen anderen DPoP-Schlüssel oder ein anderes Zertifikat gebunden als die der Anfrage.',
    'Verwenden Sie den Schlüssel der Autorisierungsanfrage.',
  ],
  refresh_token_malformed: [
    'Das Refresh-Token stammt nicht von diesem Server.',
    'Senden Sie den Wert von refresh_token unverändert.',
  ],
  refresh_token_unknown: [
    'Das Refresh-Token ist abgelaufen, widerrufen, das eines anderen Clients oder war nie da.',
    'Lassen Sie den Benutzer sich neu anmelden. REFRESH_TOKEN_TTL und REFRESH_TOKEN_IDLE_TTL sagen, wie lange es gilt.',
  ],
  refresh_token_spent: [
    'Das Refresh-Token wurde schon verwendet, und alle Token der Anmeldung sind jetzt widerrufen.',
    'Behalten Sie das neueste Refresh-Token, und erneuern Sie nur an einer Stelle. Tut der Client das, hat jemand es kopiert.',
  ],
  refresh_token_other_key: [
    'Das Refresh-Token ist an einen anderen DPoP-Schlüssel oder ein anderes Zertifikat gebunden als die der Anfrage.',
    'Behalten Sie den Schlüssel eines öffentlichen Clients so lange wie sein Refresh-Token.',
  ],
  refresh_token_retry_differs: [
    'Eine Erneuerung wurde mit einem anderen Schlüssel oder Zertifikat wiederholt.',
    'Wiederholen Sie eine Erneuerung so, wie sie gesendet wurde.',
  ],
  refresh_token_scope: [
    'Der Scope der Erneuerung ist mehr als gewährt, oder ein anderer als der der wiederholten Erneuerung.',
    'Lassen Sie scope weg, oder verlangen Sie weniger.',
  ],
  refresh_tokens_never: [
    'Der Client darf keine Refresh-Token verwenden.',
    'Ändern Sie refresh_tokens des Clients, oder lassen Sie die Anwendung ohne auskommen.',
  ],
  device_code_malformed: [
    'Der Gerätecode stammt nicht von diesem Server.',
    'Senden Sie den Wert von device_code unverändert.',
  ],
  device_code_pending: [
    'Der Benutzer des Geräts hat noch nicht geantwortet.',
    'Nichts ist falsch: Das Gerät fragt wieder.',
  ],
  device_code_slow_down: [
    'Das Gerät fragte, bevor seine Wartezeit vorüber war.',
    'Lassen Sie das Gerät von nun an 5 Sekunden länger warten.',
  ],
  device_code_denied: [
    'Der Benutzer des Geräts hat abgelehnt.',
    'Nichts ist falsch: Es war die Entscheidung des Benutzers.',
  ],
  device_code_ended: [
    'Der Gerätecode ist abgelaufen oder war nie da.',
    'Verlangen Sie neue Codes. DEVICE_CODE_TTL sagt, wie lange sie gelten.',
  ],
  device_code_spent: [
    'Der Gerätecode wurde schon eingetauscht.',
    'Tauschen Sie einen Gerätecode einmal ein.',
  ],
  device_code_of_other_client: [
    'Der Gerätecode wurde einem anderen Client gegeben.',
    'Verwenden Sie in beiden Anfragen dieselbe client_id.',
  ],
  device_codes_limited: [
    'Öffentliche Clients verlangten von dieser Adresse zu viele Gerätecodes.',
    'Warten Sie; erhöhen Sie DEVICE_REQUESTS, wenn viele Geräte die Adresse teilen. Ist TRUSTED_PROXIES gesetzt?',
  ],
  assertion_malformed: ['Die Assertion ist kein lesbares JWT.', 'Senden Sie ein signiertes JWT.'],
  assertion_claims: [
    'Ein Claim der Assertion fehlt oder ist falsch.',
    'Vergleichen Sie die Claims mit dem, was der vertraute Aussteller und der Client verlangen.',
  ],
  assertion_clock: [
    'Die Assertion ist zur Zeit dieses Servers nicht gültig.',
    'Holen Sie eine neue Assertion, und stellen Sie die Uhren. max_lifetime des Ausstellers sagt, wie lange eine gelten darf.',
  ],
  assertion_unproven: [
    'Die Signatur der Assertion stammt nicht von einem Schlüssel ihres Ausstellers.',
    'Prüfen Sie die Schlüssel des vertrauten Ausstellers: redmint issuer show.',
  ],
  assertion_issuer: [
    'Dem Aussteller der Assertion wird nicht vertraut.',
    'Tragen Sie ihn mit redmint issuer add ein, oder korrigieren Sie iss.',
  ],
  assertion_client: [
    'Die Assertion ist nicht für diesen Client.',
    'Vergleichen Sie assertion_issuer, assertion_subject und die Bedingungen des Clients mit den Claims.',
  ],
  assertion_user: [
    'Zur Assertion gehört kein Benutzer, der sich anmelden kann.',
    'Legen Sie den Benutzer an, entsperren Sie das Konto, oder korrigieren Sie den Claim, der den Benutzer nennt.',
  ],
  assertion_other_key: [
    'Die Assertion ist an einen anderen Schlüssel gebunden als den der Anfrage.',
    'Senden Sie einen Beweis ihres Schlüssels.',
  ],
  assertion_used: [
    'Die Assertion wurde schon verwendet.',
    'Holen Sie für jede Anfrage eine neue. Tut der Client das, hat jemand sie kopiert.',
  ],
  issuer_keys_away: [
    'Die Schlüssel des Ausstellers der Assertion sind gerade nicht abrufbar.',
    'Es liegt am Aussteller oder am Weg dorthin: `code` sagt, woran. Prüfen Sie, ob dieser Server die Schlüssel erreicht, die redmint issuer show NAME nennt; ISSUER_PRIVATE_HOSTS nennt Hosts in privaten Netzen.',
  ],
  account_gone: [
    'Das Konto des Benutzers ist gesperrt oder gelöscht, oder der Benutzername gehört jetzt jemand anderem.',
    'redmint user show sagt, was davon; redmint user enable entsperrt das Konto.',
  ],
  grant_ended: [
    'Alles des Benutzers, der Sitzung oder des Clients wurde beendet.',
    'Lassen Sie den Benutzer sich neu anmelden.',
  ],

  token_missing: [
    'Die Anfrage hat kein Access-Token.',
    'Senden Sie den Header Authorization: Bearer und das Token. Entfernt ein Proxy ihn?',
  ],
  tokens_several: ['Die Anfrage hat mehr als ein Access-Token.', 'Senden Sie eines, im Header.'],
  token_invalid: [
    'Das Access-Token ist abgelaufen, widerrufen oder nicht von diesem Server.',
    'Holen Sie mit dem Refresh-Token ein neues. redmint token inspect sagt, was ein Token ist.',
  ],
  token_of_other_audience: [
    'Das Access-Token ist für eine andere API.',
    'Verlangen Sie ein Token mit dem Parameter resource dieser API.',
  ],
  token_client_gone: [
    'Der Client des Access-Tokens ist gesperrt oder gelöscht.',
    'redmint client show sagt, was davon.',
  ],
  token_without_user: [
    'Das Access-Token gehört keinem Benutzer, und hier ist einer nötig.',
    'Verwenden Sie ein Token einer Anmeldung, nicht eines von client_credentials.',
  ],
  token_other_key: [
    'Das Access-Token ist an einen anderen Schlüssel oder ein anderes Zertifikat gebunden als die der Anfrage.',
    'Senden Sie einen Beweis desselben Schlüssels wie bei der Ausgabe des Tokens.',
  ],
  token_proof_missing: [
    'Das Access-Token ist an einen Schlüssel gebunden, und der Anfrage fehlt ein Beweis dafür.',
    'Senden Sie Authorization: DPoP und den Header DPoP, oder das Client-Zertifikat.',
  ],
  token_scope: ['Dem Access-Token fehlt ein Scope.', 'Verlangen Sie die erwarteten Scopes.'],
  token_sign_in_weak: [
    'Die Anmeldung des Access-Tokens ist für diese Anfrage zu schwach oder zu lange her.',
    'Lassen Sie den Benutzer sich neu anmelden, mit acr_values und max_age aus der Antwort.',
  ],
  issuer_away: [
    'Der Aussteller des Access-Tokens ist gerade nicht zu fragen.',
    'Prüfen Sie, ob dieser Server ihn erreicht.',
  ],

  invitation_missing: [
    'Clients brauchen eine Einladung, um sich zu registrieren.',
    'Erstellen Sie eine: redmint client invite.',
  ],
  invitation_unusable: [
    'Die Einladung zur Registrierung ist verbraucht, abgelaufen oder war nie da.',
    'Erstellen Sie eine neue: redmint client invite.',
  ],
  registration_token_wrong: [
    'Das Registrierungs-Token ist nicht das des Clients.',
    'Verwenden Sie das Token der letzten Antwort der Registrierung.',
  ],
  registrations_limited: [
    'In dieser Stunde haben sich zu viele Clients registriert.',
    'Warten Sie, oder erhöhen Sie CLIENT_REGISTRATIONS oder CLIENT_REGISTRATIONS_PER_ADDRESS.',
  ],
  metadata_refused: [
    'Die Metadaten des Clients werden abgelehnt.',
    'Korrigieren Sie das Feld, das die Antwort nennt.',
  ],
  metadata_redirect_uri: [
    'Eine Redirect-URI des Clients wird abgelehnt.',
    'Korrigieren Sie die Adresse, die die Antwort nennt.',
  ],

  admin_request_malformed: [
    'Die Anfrage an die Admin-API ist fehlerhaft.',
    'Korrigieren Sie, was die Antwort nennt.',
  ],
  admin_cursor_foreign: ['Der Cursor gehört nicht zu dieser Liste.', 'Beginnen Sie bei der ersten Seite.'],
  admin_scope_missing: [
    'Dem Access-Token fehlt der Scope der Operation.',
    'Verlangen Sie diesen Scope: docs/admin-api.md.',
  ],
  admin_right_missing: [
    'Jemand vergab ein Recht, das er selbst nicht hat.',
    'Bitten Sie einen Administrator, der es hat.',
  ],
  admin_record_missing: ['Einen solchen Datensatz gibt es nicht.', 'Korrigieren Sie den Namen im Pfad.'],
  admin_path_unknown: ['Diesen Pfad hat die Admin-API nicht.', 'Siehe /admin/v1/openapi.json.'],
  admin_method_unknown: [
    'Der Pfad der Admin-API beantwortet diese Methode nicht.',
    'Siehe den Header Allow der Antwort.',
  ],
  admin_record_exists: [
    'Den Datensatz gibt es schon.',
    'Ändern Sie ihn, oder wählen Sie einen anderen Namen.',
  ],
  admin_state_conflict: ['Der Zustand des Datensatzes erlaubt das nicht.', 'Tun Sie, was die Antwort sagt.'],
  admin_last_administrator: [
    'Der letzte Administrator muss bleiben.',
    'Machen Sie zuerst jemand anderen zum Administrator.',
  ],
  admin_version_stale: [
    'Der Datensatz hat sich geändert, seit er gelesen wurde.',
    'Lesen Sie ihn neu, und wiederholen Sie die Änderung.',
  ],
  admin_version_missing: [
    'Die Änderung sagt nicht, welche Fassung gelesen wurde.',
    'Senden Sie If-Match mit dem ETag des Datensatzes.',
  ],
  admin_media_type: [
    'Der Inhalt hat einen anderen Medientyp als erwartet.',
    'Senden Sie den Typ, den die Antwort nennt.',
  ],
  admin_field_invalid: [
    'Ein Feld hat einen Wert, den es nicht haben kann.',
    'Korrigieren Sie das Feld, das die Antwort nennt.',
  ],
  admin_field_unknown: ['Ein solches Feld gibt es nicht.', 'Korrigieren Sie den Namen des Felds.'],
  admin_key_reused: [
    'Der Idempotency-Key gehört zu einer anderen Anfrage.',
    'Erzeugen Sie für jede Anfrage einen neuen Schlüssel.',
  ],
  admin_limited: [
    'Zu viele Anfragen an die Admin-API in einer Minute.',
    'Warten Sie, wie Retry-After es sagt.',
  ],
  settings_differ: [
    'Dieser Server ist anders eingestellt als die anderen.',
    'redmint server sagt, in welchen Einstellungen sie sich unterscheiden.',
  ],

  storage_away: [
    'Der Speicher hat nicht geantwortet.',
    'Prüfen Sie, ob Redis läuft und erreichbar ist: redmint doctor.',
  ],
  server_fault: ['Im Server ist etwas schiefgegangen.', 'Das Protokoll sagt, was: nach der Id der Anfrage.'],
}
