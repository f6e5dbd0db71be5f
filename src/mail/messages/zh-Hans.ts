import type { MailAbout, MailTexts } from './texts.ts'

const NOT_ME = {
  action: '不是我操作的',
  after:
    '如果是您本人操作，则无需理会。如果不是，请在一天内打开链接：它会终止您账户的所有登录，撤销可以撤销的更改，并引导您设置新的登录方式。',
}

/** The Chinese (simplified) mails. */
export const zhHans: MailTexts = {
  reset_password: {
    subject: '为 {service} 设置新密码',
    text: '有人（很可能是您）请求为您的 {service} 账户设置新密码。',
    action: '设置新密码',
    after: '链接一小时内有效，只能使用一次。如果不是您请求的，则无需理会：没有任何更改。',
  },
  reset_passkey: {
    subject: '为 {service} 创建新的通行密钥',
    text: '有人（很可能是您）请求为您的 {service} 账户创建新的通行密钥。',
    action: '创建新的通行密钥',
    after: '链接一小时内有效，只能使用一次。如果不是您请求的，则无需理会：没有任何更改。',
  },
  verify_address: {
    subject: '确认您在 {service} 的电子邮箱',
    text: '有人用 {service} 的账户 {account} 填写了此邮箱。如果两者都属于您，请确认。确认后，它将在 {service} 生效。',
    action: '确认此邮箱',
    after: '链接一天内有效，只能使用一次。如果您没有 {service} 账户，则无需理会：有人输错了地址。',
  },
  changing_address: {
    subject: '您在 {service} 的电子邮箱即将更改',
    text: '有人（很可能是您）为您的 {service} 账户输入了另一个电子邮箱。确认后即生效，此后邮件将发送至新邮箱。',
    ...NOT_ME,
  },
  changed_address: {
    subject: '您在 {service} 的电子邮箱已更改',
    text: '您的 {service} 账户现在使用另一个电子邮箱。邮件将发送至新邮箱。',
    ...NOT_ME,
  },
  invitation: {
    subject: '邀请您使用 {service}',
    text: '您可以在 {service} 创建账户。',
    action: '创建账户',
    after: '如果您对此不知情，则无需理会。',
  },
  sign_up: {
    subject: '创建您的 {service} 账户',
    text: '有人（很可能是您）想用此邮箱在 {service} 创建账户。',
    action: '创建此账户',
    after: '链接一小时内有效，只能使用一次。如果不是您请求的，则无需理会：不使用链接就不会有账户。',
  },
  known_address: {
    subject: '您已有 {service} 账户',
    text: '有人（很可能是您）想用此邮箱在 {service} 创建账户。账户已经存在：请用它登录。如果忘记了密码，可以设置新密码。',
    action: '设置新密码',
    after: '如果不是您请求的，则无需理会：没有任何更改。',
  },
  known_address_passkey: {
    subject: '您已有 {service} 账户',
    text: '有人（很可能是您）想用此邮箱在 {service} 创建账户。账户已经存在：请用它登录。如果丢失了通行密钥，可以创建新的。',
    action: '创建新的通行密钥',
    after: '如果不是您请求的，则无需理会：没有任何更改。',
  },
  password_changed: {
    subject: '您在 {service} 的密码已更改',
    text: '您的 {service} 账户的密码已更改。',
    ...NOT_ME,
  },
  factor_added: {
    subject: '{service} 有新的登录方式',
    text: '您的 {service} 账户有新的登录方式：{about}。',
    ...NOT_ME,
  },
  factor_removed: {
    subject: '{service} 的一个登录方式已移除',
    text: '您的 {service} 账户的一个登录方式已移除：{about}。',
    ...NOT_ME,
  },
  recovery_code_used: {
    subject: '在 {service} 使用了恢复代码',
    text: '有人用恢复代码登录了您的 {service} 账户。该代码不能再次使用。',
    ...NOT_ME,
  },
  codes_guessed: {
    subject: '有人在猜测您 {service} 账户的验证码',
    text: '有人输入了您的 {service} 账户的密码，并多次输入错误的验证码。为防止被猜中，您应用中的验证码已失效。请设置新密码，用恢复代码登录，然后重新设置应用。',
    ...NOT_ME,
  },
  test: {
    subject: '{service} 的测试邮件',
    text: '{service} 的管理员发送此邮件，以检查邮件能否送达。您无需理会。',
  },
}

/** What notices are about. */
export const ABOUT_ZH_HANS: MailAbout = {
  passkey: '通行密钥',
  provider: '与其他服务账户的关联',
  totp: '身份验证器应用的验证码',
  recovery: '恢复代码',
  all: '管理员重置了密码以外的所有方式',
}
