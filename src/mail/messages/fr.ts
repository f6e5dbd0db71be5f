import type { MailAbout, MailTexts } from './texts.ts'

const NOT_ME = {
  action: 'Ce n’était pas moi',
  after:
    'Si c’était vous, vous n’avez rien à faire. Sinon, ouvrez le lien dans la journée : il met fin à toutes les connexions à votre compte, annule ce qui peut l’être, et vous mène à une nouvelle façon de vous connecter.',
}

/** The French mails. */
export const fr: MailTexts = {
  reset_password: {
    subject: 'Choisissez un nouveau mot de passe pour {service}',
    text: 'Quelqu’un, probablement vous, a demandé un nouveau mot de passe pour votre compte {service}.',
    action: 'Choisir un nouveau mot de passe',
    after:
      'Le lien fonctionne une fois, pendant une heure. Si vous n’avez rien demandé, vous n’avez rien à faire : rien n’a changé.',
  },
  reset_passkey: {
    subject: 'Créez une nouvelle clé d’accès pour {service}',
    text: 'Quelqu’un, probablement vous, a demandé une nouvelle clé d’accès pour votre compte {service}.',
    action: 'Créer une nouvelle clé d’accès',
    after:
      'Le lien fonctionne une fois, pendant une heure. Si vous n’avez rien demandé, vous n’avez rien à faire : rien n’a changé.',
  },
  verify_address: {
    subject: 'Confirmez votre adresse e-mail pour {service}',
    text: 'Une personne avec le compte {account} de {service} a saisi cette adresse. Veuillez la confirmer si les deux sont à vous. Elle sera ensuite prise en compte par {service}.',
    action: 'Confirmer cette adresse',
    after:
      'Le lien fonctionne une fois, pendant un jour. Si vous n’avez pas de compte {service}, vous n’avez rien à faire : quelqu’un s’est trompé d’adresse.',
  },
  changing_address: {
    subject: 'Votre adresse e-mail pour {service} va changer',
    text: 'Quelqu’un, probablement vous, a saisi une autre adresse e-mail pour votre compte {service}. Elle sera prise en compte dès qu’elle sera confirmée. Les messages iront alors à la nouvelle adresse.',
    ...NOT_ME,
  },
  changed_address: {
    subject: 'Votre adresse e-mail pour {service} a changé',
    text: 'Votre compte {service} a maintenant une autre adresse e-mail. Les messages vont à la nouvelle adresse.',
    ...NOT_ME,
  },
  invitation: {
    subject: 'Vous êtes invité à rejoindre {service}',
    text: 'Vous pouvez créer un compte {service}.',
    action: 'Créer un compte',
    after: 'Si vous ne vous y attendiez pas, vous n’avez rien à faire.',
  },
  sign_up: {
    subject: 'Créez votre compte {service}',
    text: 'Quelqu’un, probablement vous, veut créer un compte {service} avec cette adresse.',
    action: 'Créer le compte',
    after:
      'Le lien fonctionne une fois, pendant une heure. Si vous n’avez rien demandé, vous n’avez rien à faire : sans lui, il n’y a pas de compte.',
  },
  known_address: {
    subject: 'Vous avez déjà un compte {service}',
    text: 'Quelqu’un, probablement vous, a voulu créer un compte {service} avec cette adresse. Il en existe déjà un : utilisez-le pour vous connecter. Si vous avez oublié son mot de passe, vous pouvez en choisir un nouveau.',
    action: 'Choisir un nouveau mot de passe',
    after: 'Si vous n’avez rien demandé, vous n’avez rien à faire : rien n’a changé.',
  },
  known_address_passkey: {
    subject: 'Vous avez déjà un compte {service}',
    text: 'Quelqu’un, probablement vous, a voulu créer un compte {service} avec cette adresse. Il en existe déjà un : utilisez-le pour vous connecter. Si vous avez perdu sa clé d’accès, vous pouvez en créer une nouvelle.',
    action: 'Créer une nouvelle clé d’accès',
    after: 'Si vous n’avez rien demandé, vous n’avez rien à faire : rien n’a changé.',
  },
  password_changed: {
    subject: 'Votre mot de passe pour {service} a été changé',
    text: 'Le mot de passe de votre compte {service} a été changé.',
    ...NOT_ME,
  },
  factor_added: {
    subject: 'Un nouveau moyen de connexion à {service}',
    text: 'Votre compte {service} a un nouveau moyen de connexion : {about}.',
    ...NOT_ME,
  },
  factor_removed: {
    subject: 'Un moyen de connexion à {service} a été supprimé',
    text: 'Un moyen de connexion a été supprimé de votre compte {service} : {about}.',
    ...NOT_ME,
  },
  recovery_code_used: {
    subject: 'Un code de secours a été utilisé pour {service}',
    text: 'Quelqu’un s’est connecté à votre compte {service} avec un code de secours. Ce code ne peut plus servir.',
    ...NOT_ME,
  },
  codes_guessed: {
    subject: 'Quelqu’un essaie des codes pour votre compte {service}',
    text: 'Quelqu’un a saisi le mot de passe de votre compte {service}, puis de très nombreux codes incorrects. Les codes de votre application ne comptent plus, pour que personne ne puisse en deviner un. Choisissez un nouveau mot de passe, connectez-vous avec un code de secours, et configurez de nouveau votre application.',
    ...NOT_ME,
  },
  test: {
    subject: 'Un essai de {service}',
    text: 'Un administrateur de {service} a envoyé ce message pour voir si les e-mails arrivent. Vous n’avez rien à faire.',
  },
}

/** What notices are about. */
export const ABOUT_FR: MailAbout = {
  passkey: 'une clé d’accès',
  provider: 'l’association avec un compte d’un autre service',
  totp: 'les codes d’une application d’authentification',
  recovery: 'des codes de secours',
  all: 'un administrateur a tout réinitialisé, sauf le mot de passe',
}
