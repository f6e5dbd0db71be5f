import type { MailAbout, MailTexts } from './texts.ts'

const NOT_ME = {
  action: 'Non ero io',
  after:
    'Se eri tu, non devi fare nulla. Altrimenti apri il link entro un giorno: chiude ogni accesso al tuo account, annulla ciò che si può annullare e ti porta a un nuovo modo di accedere.',
}

/** The Italian mails. */
export const it: MailTexts = {
  reset_password: {
    subject: 'Scegli una nuova password per {service}',
    text: 'Qualcuno, probabilmente tu, ha chiesto una nuova password per il tuo account {service}.',
    action: 'Scegli una nuova password',
    after:
      'Il link funziona una volta, per un’ora. Se non l’hai chiesto tu, non devi fare nulla: non è cambiato nulla.',
  },
  reset_passkey: {
    subject: 'Crea una nuova passkey per {service}',
    text: 'Qualcuno, probabilmente tu, ha chiesto una nuova passkey per il tuo account {service}.',
    action: 'Crea una nuova passkey',
    after:
      'Il link funziona una volta, per un’ora. Se non l’hai chiesto tu, non devi fare nulla: non è cambiato nulla.',
  },
  verify_address: {
    subject: 'Conferma il tuo indirizzo e-mail per {service}',
    text: 'Qualcuno con l’account {account} di {service} ha inserito questo indirizzo. Confermalo se entrambi sono tuoi. Da quel momento vale per {service}.',
    action: 'Conferma questo indirizzo',
    after:
      'Il link funziona una volta, per un giorno. Se non hai un account {service}, non devi fare nulla: qualcuno ha sbagliato indirizzo.',
  },
  changing_address: {
    subject: 'Il tuo indirizzo e-mail per {service} sta cambiando',
    text: 'Qualcuno, probabilmente tu, ha inserito un altro indirizzo e-mail per il tuo account {service}. Vale appena viene confermato. Da allora i messaggi andranno al nuovo indirizzo.',
    ...NOT_ME,
  },
  changed_address: {
    subject: 'Il tuo indirizzo e-mail per {service} è cambiato',
    text: 'Il tuo account {service} ha ora un altro indirizzo e-mail. I messaggi vanno al nuovo indirizzo.',
    ...NOT_ME,
  },
  invitation: {
    subject: 'Un invito a {service}',
    text: 'Puoi creare un account {service}.',
    action: 'Crea un account',
    after: 'Se non te lo aspettavi, non devi fare nulla.',
  },
  sign_up: {
    subject: 'Crea il tuo account {service}',
    text: 'Qualcuno, probabilmente tu, vuole creare un account {service} con questo indirizzo.',
    action: 'Crea l’account',
    after:
      'Il link funziona una volta, per un’ora. Se non l’hai chiesto tu, non devi fare nulla: senza il link non c’è nessun account.',
  },
  known_address: {
    subject: 'Hai già un account {service}',
    text: 'Qualcuno, probabilmente tu, voleva creare un account {service} con questo indirizzo. Ne esiste già uno: usalo per accedere. Se hai dimenticato la password, puoi sceglierne una nuova.',
    action: 'Scegli una nuova password',
    after: 'Se non l’hai chiesto tu, non devi fare nulla: non è cambiato nulla.',
  },
  known_address_passkey: {
    subject: 'Hai già un account {service}',
    text: 'Qualcuno, probabilmente tu, voleva creare un account {service} con questo indirizzo. Ne esiste già uno: usalo per accedere. Se hai perso la passkey, puoi crearne una nuova.',
    action: 'Crea una nuova passkey',
    after: 'Se non l’hai chiesto tu, non devi fare nulla: non è cambiato nulla.',
  },
  password_changed: {
    subject: 'La tua password per {service} è cambiata',
    text: 'La password del tuo account {service} è stata cambiata.',
    ...NOT_ME,
  },
  factor_added: {
    subject: 'C’è un nuovo modo di accedere a {service}',
    text: 'Il tuo account {service} ha un nuovo modo di accedere: {about}.',
    ...NOT_ME,
  },
  factor_removed: {
    subject: 'Un modo di accedere a {service} è stato rimosso',
    text: 'Dal tuo account {service} è stato rimosso un modo di accedere: {about}.',
    ...NOT_ME,
  },
  recovery_code_used: {
    subject: 'È stato usato un codice di recupero per {service}',
    text: 'Qualcuno ha effettuato l’accesso al tuo account {service} con un codice di recupero. Quel codice non può più essere usato.',
    ...NOT_ME,
  },
  codes_guessed: {
    subject: 'Qualcuno prova codici per il tuo account {service}',
    text: 'Qualcuno ha inserito la password del tuo account {service} e moltissimi codici errati. I codici della tua app non valgono più, così nessuno può indovinarne uno. Scegli una nuova password, accedi con un codice di recupero e configura di nuovo la tua app.',
    ...NOT_ME,
  },
  test: {
    subject: 'Una prova di {service}',
    text: 'Un amministratore di {service} ha inviato questo messaggio per vedere se la posta arriva. Non devi fare nulla.',
  },
}

/** What notices are about. */
export const ABOUT_IT: MailAbout = {
  passkey: 'una passkey',
  provider: 'il collegamento con un account di un altro servizio',
  totp: 'i codici di un’app di autenticazione',
  recovery: 'i codici di recupero',
  all: 'un amministratore ha azzerato tutti tranne la password',
}
