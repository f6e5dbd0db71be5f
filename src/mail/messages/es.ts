import type { MailAbout, MailTexts } from './texts.ts'

const NOT_ME = {
  action: 'No fui yo',
  after:
    'Si fue usted, no tiene que hacer nada. Si no, abra el enlace en el plazo de un día: cierra todas las sesiones de su cuenta, deshace lo que se puede deshacer y le lleva a una nueva forma de iniciar sesión.',
}

/** The Spanish mails. */
export const es: MailTexts = {
  reset_password: {
    subject: 'Elija una contraseña nueva para {service}',
    text: 'Alguien, probablemente usted, pidió una contraseña nueva para su cuenta de {service}.',
    action: 'Elegir una contraseña nueva',
    after:
      'El enlace sirve una vez, durante una hora. Si no lo pidió usted, no tiene que hacer nada: no ha cambiado nada.',
  },
  reset_passkey: {
    subject: 'Cree una llave de acceso nueva para {service}',
    text: 'Alguien, probablemente usted, pidió una llave de acceso nueva para su cuenta de {service}.',
    action: 'Crear una llave de acceso nueva',
    after:
      'El enlace sirve una vez, durante una hora. Si no lo pidió usted, no tiene que hacer nada: no ha cambiado nada.',
  },
  verify_address: {
    subject: 'Confirme su correo electrónico para {service}',
    text: 'Alguien con la cuenta {account} de {service} introdujo esta dirección. Confírmela si ambas son suyas. A partir de entonces será válida en {service}.',
    action: 'Confirmar esta dirección',
    after:
      'El enlace sirve una vez, durante un día. Si no tiene una cuenta en {service}, no tiene que hacer nada: alguien se equivocó de dirección.',
  },
  changing_address: {
    subject: 'Se va a cambiar su correo electrónico de {service}',
    text: 'Alguien, probablemente usted, introdujo otro correo electrónico para su cuenta de {service}. Será válido en cuanto se confirme. Desde entonces, los mensajes irán a la nueva dirección.',
    ...NOT_ME,
  },
  changed_address: {
    subject: 'Se cambió su correo electrónico de {service}',
    text: 'Su cuenta de {service} tiene ahora otro correo electrónico. Los mensajes van a la nueva dirección.',
    ...NOT_ME,
  },
  invitation: {
    subject: 'Le invitamos a {service}',
    text: 'Puede crear una cuenta en {service}.',
    action: 'Crear una cuenta',
    after: 'Si no lo esperaba, no tiene que hacer nada.',
  },
  sign_up: {
    subject: 'Cree su cuenta en {service}',
    text: 'Alguien, probablemente usted, quiere crear una cuenta en {service} con esta dirección.',
    action: 'Crear la cuenta',
    after:
      'El enlace sirve una vez, durante una hora. Si no lo pidió usted, no tiene que hacer nada: sin él no hay cuenta.',
  },
  known_address: {
    subject: 'Ya tiene una cuenta en {service}',
    text: 'Alguien, probablemente usted, quiso crear una cuenta en {service} con esta dirección. Ya hay una: inicie sesión con ella. Si olvidó la contraseña, puede elegir una nueva.',
    action: 'Elegir una contraseña nueva',
    after: 'Si no lo pidió usted, no tiene que hacer nada: no ha cambiado nada.',
  },
  known_address_passkey: {
    subject: 'Ya tiene una cuenta en {service}',
    text: 'Alguien, probablemente usted, quiso crear una cuenta en {service} con esta dirección. Ya hay una: inicie sesión con ella. Si perdió la llave de acceso, puede crear una nueva.',
    action: 'Crear una llave de acceso nueva',
    after: 'Si no lo pidió usted, no tiene que hacer nada: no ha cambiado nada.',
  },
  password_changed: {
    subject: 'Se cambió su contraseña de {service}',
    text: 'Se cambió la contraseña de su cuenta de {service}.',
    ...NOT_ME,
  },
  factor_added: {
    subject: 'Hay una nueva forma de iniciar sesión en {service}',
    text: 'Su cuenta de {service} tiene una nueva forma de iniciar sesión: {about}.',
    ...NOT_ME,
  },
  factor_removed: {
    subject: 'Se quitó una forma de iniciar sesión en {service}',
    text: 'Se quitó de su cuenta de {service} una forma de iniciar sesión: {about}.',
    ...NOT_ME,
  },
  recovery_code_used: {
    subject: 'Se usó un código de recuperación en {service}',
    text: 'Alguien inició sesión en su cuenta de {service} con un código de recuperación. Ese código ya no se puede usar.',
    ...NOT_ME,
  },
  codes_guessed: {
    subject: 'Alguien prueba códigos para su cuenta de {service}',
    text: 'Alguien introdujo la contraseña de su cuenta de {service} y muchas veces códigos incorrectos. Los códigos de su aplicación ya no cuentan, para que nadie pueda adivinar uno. Elija una contraseña nueva, inicie sesión con un código de recuperación y configure otra vez su aplicación.',
    ...NOT_ME,
  },
  test: {
    subject: 'Una prueba de {service}',
    text: 'Un administrador de {service} envió este mensaje para ver si llega el correo. No tiene que hacer nada.',
  },
}

/** What notices are about. */
export const ABOUT_ES: MailAbout = {
  passkey: 'una llave de acceso',
  provider: 'el vínculo con una cuenta de otro servicio',
  totp: 'códigos de una aplicación de autenticación',
  recovery: 'códigos de recuperación',
  all: 'un administrador restableció todas menos la contraseña',
}
