import type { MailAbout, MailTexts } from './texts.ts'

const NOT_ME = {
  action: 'Não fui eu',
  after:
    'Se foi você, não precisa fazer nada. Se não foi, abra o link em até um dia: ele encerra todas as entradas na sua conta, desfaz o que pode ser desfeito e leva você a uma nova forma de entrar.',
}

/** The Brazilian Portuguese mails. */
export const ptBR: MailTexts = {
  reset_password: {
    subject: 'Escolha uma nova senha para {service}',
    text: 'Alguém, provavelmente você, pediu uma nova senha para a sua conta em {service}.',
    action: 'Escolher uma nova senha',
    after:
      'O link funciona uma vez, durante uma hora. Se você não pediu, não precisa fazer nada: nada mudou.',
  },
  reset_passkey: {
    subject: 'Crie uma nova chave de acesso para {service}',
    text: 'Alguém, provavelmente você, pediu uma nova chave de acesso para a sua conta em {service}.',
    action: 'Criar uma nova chave de acesso',
    after:
      'O link funciona uma vez, durante uma hora. Se você não pediu, não precisa fazer nada: nada mudou.',
  },
  verify_address: {
    subject: 'Confirme o seu e-mail para {service}',
    text: 'Alguém com a conta {account} em {service} informou este endereço. Confirme-o se ambos forem seus. A partir de então, ele vale em {service}.',
    action: 'Confirmar este endereço',
    after:
      'O link funciona uma vez, durante um dia. Se você não tem conta em {service}, não precisa fazer nada: alguém errou o endereço.',
  },
  changing_address: {
    subject: 'O seu e-mail em {service} está sendo mudado',
    text: 'Alguém, provavelmente você, digitou outro e-mail para a sua conta em {service}. Ele passa a valer quando for confirmado. A partir de então, as mensagens vão para o novo endereço.',
    ...NOT_ME,
  },
  changed_address: {
    subject: 'O seu e-mail em {service} foi mudado',
    text: 'A sua conta em {service} tem agora outro e-mail. As mensagens vão para o novo endereço.',
    ...NOT_ME,
  },
  invitation: {
    subject: 'Um convite para {service}',
    text: 'Você pode criar uma conta em {service}.',
    action: 'Criar uma conta',
    after: 'Se você não esperava por isso, não precisa fazer nada.',
  },
  sign_up: {
    subject: 'Crie a sua conta em {service}',
    text: 'Alguém, provavelmente você, quer criar uma conta em {service} com este endereço.',
    action: 'Criar a conta',
    after:
      'O link funciona uma vez, durante uma hora. Se você não pediu, não precisa fazer nada: sem ele, não há conta.',
  },
  known_address: {
    subject: 'Você já tem uma conta em {service}',
    text: 'Alguém, provavelmente você, quis criar uma conta em {service} com este endereço. Já existe uma: entre com ela. Se esqueceu a senha, você pode escolher uma nova.',
    action: 'Escolher uma nova senha',
    after: 'Se você não pediu, não precisa fazer nada: nada mudou.',
  },
  known_address_passkey: {
    subject: 'Você já tem uma conta em {service}',
    text: 'Alguém, provavelmente você, quis criar uma conta em {service} com este endereço. Já existe uma: entre com ela. Se perdeu a chave de acesso, você pode criar uma nova.',
    action: 'Criar uma nova chave de acesso',
    after: 'Se você não pediu, não precisa fazer nada: nada mudou.',
  },
  password_changed: {
    subject: 'A sua senha em {service} foi mudada',
    text: 'A senha da sua conta em {service} foi mudada.',
    ...NOT_ME,
  },
  factor_added: {
    subject: 'Há uma nova forma de entrar em {service}',
    text: 'A sua conta em {service} tem uma nova forma de entrar: {about}.',
    ...NOT_ME,
  },
  factor_removed: {
    subject: 'Uma forma de entrar em {service} foi removida',
    text: 'Uma forma de entrar foi removida da sua conta em {service}: {about}.',
    ...NOT_ME,
  },
  recovery_code_used: {
    subject: 'Um código de recuperação foi usado em {service}',
    text: 'Alguém entrou na sua conta em {service} com um código de recuperação. Ele não pode ser usado de novo.',
    ...NOT_ME,
  },
  codes_guessed: {
    subject: 'Alguém tenta códigos na sua conta em {service}',
    text: 'Alguém digitou a senha da sua conta em {service} e muitas vezes códigos incorretos. Os códigos do seu aplicativo não valem mais, para que ninguém consiga adivinhar um. Escolha uma nova senha, entre com um código de recuperação e configure de novo o seu aplicativo.',
    ...NOT_ME,
  },
  test: {
    subject: 'Um teste de {service}',
    text: 'Um administrador de {service} enviou esta mensagem para ver se os e-mails chegam. Você não precisa fazer nada.',
  },
}

/** What notices are about. */
export const ABOUT_PT_BR: MailAbout = {
  passkey: 'uma chave de acesso',
  provider: 'o vínculo com uma conta de outro serviço',
  totp: 'códigos de um aplicativo autenticador',
  recovery: 'códigos de recuperação',
  all: 'um administrador redefiniu todas, menos a senha',
}
