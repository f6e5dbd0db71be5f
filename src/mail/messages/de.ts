import type { MailAbout, MailTexts } from './texts.ts'

const NOT_ME = {
  action: 'Das war ich nicht',
  after:
    'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, öffnen Sie innerhalb eines Tages den Link: Er beendet jede Anmeldung bei Ihrem Konto, nimmt zurück, was sich zurücknehmen lässt, und führt Sie zu einer neuen Anmeldung.',
}

/** The German mails. */
export const de: MailTexts = {
  reset_password: {
    subject: 'Wählen Sie ein neues Passwort für {service}',
    text: 'Jemand, wahrscheinlich Sie, hat ein neues Passwort für Ihr Konto bei {service} verlangt.',
    action: 'Ein neues Passwort wählen',
    after:
      'Der Link gilt einmal, eine Stunde lang. Wenn Sie ihn nicht verlangt haben, müssen Sie nichts tun: Es hat sich nichts geändert.',
  },
  reset_passkey: {
    subject: 'Erstellen Sie einen neuen Passkey für {service}',
    text: 'Jemand, wahrscheinlich Sie, hat einen neuen Passkey für Ihr Konto bei {service} verlangt.',
    action: 'Einen neuen Passkey erstellen',
    after:
      'Der Link gilt einmal, eine Stunde lang. Wenn Sie ihn nicht verlangt haben, müssen Sie nichts tun: Es hat sich nichts geändert.',
  },
  verify_address: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse für {service}',
    text: 'Jemand mit dem Konto {account} bei {service} hat diese Adresse eingegeben. Bitte bestätigen Sie sie, wenn Ihnen beide gehören. Sie gilt danach bei {service}.',
    action: 'Diese Adresse bestätigen',
    after:
      'Der Link gilt einmal, einen Tag lang. Wenn Sie kein Konto bei {service} haben, müssen Sie nichts tun: Jemand hat sich bei einer Adresse vertippt.',
  },
  changing_address: {
    subject: 'Ihre E-Mail-Adresse bei {service} wird geändert',
    text: 'Jemand, wahrscheinlich Sie, hat eine andere E-Mail-Adresse für Ihr Konto bei {service} eingegeben. Sie gilt, sobald sie bestätigt ist. Nachrichten gehen dann an die neue Adresse.',
    ...NOT_ME,
  },
  changed_address: {
    subject: 'Ihre E-Mail-Adresse bei {service} wurde geändert',
    text: 'Ihr Konto bei {service} hat jetzt eine andere E-Mail-Adresse. Nachrichten gehen an die neue Adresse.',
    ...NOT_ME,
  },
  invitation: {
    subject: 'Sie sind zu {service} eingeladen',
    text: 'Sie können ein Konto bei {service} anlegen.',
    action: 'Ein Konto anlegen',
    after: 'Wenn Sie das nicht erwartet haben, müssen Sie nichts tun.',
  },
  sign_up: {
    subject: 'Legen Sie Ihr Konto bei {service} an',
    text: 'Jemand, wahrscheinlich Sie, möchte mit dieser Adresse ein Konto bei {service} anlegen.',
    action: 'Das Konto anlegen',
    after:
      'Der Link gilt einmal, eine Stunde lang. Wenn Sie ihn nicht verlangt haben, müssen Sie nichts tun: Ohne ihn gibt es kein Konto.',
  },
  known_address: {
    subject: 'Sie haben ein Konto bei {service}',
    text: 'Jemand, wahrscheinlich Sie, wollte mit dieser Adresse ein Konto bei {service} anlegen. Es gibt schon eines: Melden Sie sich damit an. Wenn Sie das Passwort vergessen haben, können Sie ein neues wählen.',
    action: 'Ein neues Passwort wählen',
    after: 'Wenn Sie das nicht verlangt haben, müssen Sie nichts tun: Es hat sich nichts geändert.',
  },
  known_address_passkey: {
    subject: 'Sie haben ein Konto bei {service}',
    text: 'Jemand, wahrscheinlich Sie, wollte mit dieser Adresse ein Konto bei {service} anlegen. Es gibt schon eines: Melden Sie sich damit an. Wenn Sie den Passkey verloren haben, können Sie einen neuen erstellen.',
    action: 'Einen neuen Passkey erstellen',
    after: 'Wenn Sie das nicht verlangt haben, müssen Sie nichts tun: Es hat sich nichts geändert.',
  },
  password_changed: {
    subject: 'Ihr Passwort bei {service} wurde geändert',
    text: 'Das Passwort Ihres Kontos bei {service} wurde geändert.',
    ...NOT_ME,
  },
  factor_added: {
    subject: 'Bei {service} gibt es einen neuen Weg zur Anmeldung',
    text: 'Ihr Konto bei {service} hat einen neuen Weg zur Anmeldung: {about}.',
    ...NOT_ME,
  },
  factor_removed: {
    subject: 'Ein Weg zur Anmeldung bei {service} wurde entfernt',
    text: 'Von Ihrem Konto bei {service} wurde ein Weg zur Anmeldung entfernt: {about}.',
    ...NOT_ME,
  },
  recovery_code_used: {
    subject: 'Ein Wiederherstellungscode wurde bei {service} benutzt',
    text: 'Jemand hat sich mit einem Wiederherstellungscode bei Ihrem Konto bei {service} angemeldet. Er gilt nicht noch einmal.',
    ...NOT_ME,
  },
  codes_guessed: {
    subject: 'Jemand rät Codes für Ihr Konto bei {service}',
    text: 'Jemand hat das Passwort Ihres Kontos bei {service} eingegeben, und sehr oft falsche Codes. Die Codes Ihrer App gelten nicht mehr, damit niemand einen errät. Wählen Sie ein neues Passwort, melden Sie sich mit einem Wiederherstellungscode an, und richten Sie die App neu ein.',
    ...NOT_ME,
  },
  test: {
    subject: 'Ein Test von {service}',
    text: 'Jemand, der {service} verwaltet, hat diese Nachricht geschickt, um zu sehen, ob Nachrichten ankommen. Sie müssen nichts tun.',
  },
}

/** What notices are about. */
export const ABOUT_DE: MailAbout = {
  passkey: 'ein Passkey',
  provider: 'die Verknüpfung mit einem Konto bei einem anderen Dienst',
  totp: 'Codes einer Authenticator-App',
  recovery: 'Wiederherstellungscodes',
  all: 'die Verwaltung hat alle außer dem Passwort zurückgesetzt',
}
