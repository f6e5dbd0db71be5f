import type { MailAbout, MailTexts } from './texts.ts'

const NOT_ME = {
  action: '心当たりがありません',
  after:
    'お心当たりがある場合は、何もする必要はありません。ない場合は、1 日以内にリンクを開いてください。アカウントへのすべてのログインを終わらせ、元に戻せるものを戻し、新しいログイン方法の設定に進みます。',
}

/** The Japanese mails. */
export const ja: MailTexts = {
  reset_password: {
    subject: '{service} の新しいパスワードの設定',
    text: '{service} のアカウントの新しいパスワードが請求されました。おそらくご本人によるものです。',
    action: '新しいパスワードを設定',
    after:
      'リンクは 1 時間以内に 1 回だけ使えます。お心当たりがない場合は、何もする必要はありません。何も変わっていません。',
  },
  reset_passkey: {
    subject: '{service} の新しいパスキーの作成',
    text: '{service} のアカウントの新しいパスキーが請求されました。おそらくご本人によるものです。',
    action: '新しいパスキーを作成',
    after:
      'リンクは 1 時間以内に 1 回だけ使えます。お心当たりがない場合は、何もする必要はありません。何も変わっていません。',
  },
  verify_address: {
    subject: '{service} のメールアドレスの確認',
    text: '{service} のアカウント {account} の利用者が、このアドレスを入力しました。アカウントとアドレスの両方がご本人のものである場合に確認してください。確認すると、{service} で有効になります。',
    action: 'このアドレスを確認',
    after:
      'リンクは 1 日以内に 1 回だけ使えます。{service} のアカウントをお持ちでない場合は、何もする必要はありません。誰かがアドレスを入力し間違えました。',
  },
  changing_address: {
    subject: '{service} のメールアドレスが変更されます',
    text: '{service} のアカウントに別のメールアドレスが入力されました。おそらくご本人によるものです。確認されると有効になり、その後のメールは新しいアドレスに届きます。',
    ...NOT_ME,
  },
  changed_address: {
    subject: '{service} のメールアドレスが変更されました',
    text: '{service} のアカウントのメールアドレスが変わりました。メールは新しいアドレスに届きます。',
    ...NOT_ME,
  },
  invitation: {
    subject: '{service} への招待',
    text: '{service} のアカウントを作成できます。',
    action: 'アカウントを作成',
    after: 'お心当たりがない場合は、何もする必要はありません。',
  },
  sign_up: {
    subject: '{service} のアカウントの作成',
    text: 'このアドレスで {service} のアカウントを作成する申し込みがありました。おそらくご本人によるものです。',
    action: 'アカウントを作成する',
    after:
      'リンクは 1 時間以内に 1 回だけ使えます。お心当たりがない場合は、何もする必要はありません。リンクを開かなければアカウントは作成されません。',
  },
  known_address: {
    subject: '{service} のアカウントはすでにあります',
    text: 'このアドレスで {service} のアカウントを作成する申し込みがありました。おそらくご本人によるものです。アカウントはすでにあるので、それでログインしてください。パスワードを忘れた場合は、新しいものを設定できます。',
    action: '新しいパスワードを設定',
    after: 'お心当たりがない場合は、何もする必要はありません。何も変わっていません。',
  },
  known_address_passkey: {
    subject: '{service} のアカウントはすでにあります',
    text: 'このアドレスで {service} のアカウントを作成する申し込みがありました。おそらくご本人によるものです。アカウントはすでにあるので、それでログインしてください。パスキーを失くした場合は、新しいものを作成できます。',
    action: '新しいパスキーを作成',
    after: 'お心当たりがない場合は、何もする必要はありません。何も変わっていません。',
  },
  password_changed: {
    subject: '{service} のパスワードが変更されました',
    text: '{service} のアカウントのパスワードが変更されました。',
    ...NOT_ME,
  },
  factor_added: {
    subject: '{service} に新しいログイン方法が追加されました',
    text: '{service} のアカウントに新しいログイン方法が追加されました: {about}',
    ...NOT_ME,
  },
  factor_removed: {
    subject: '{service} のログイン方法が削除されました',
    text: '{service} のアカウントからログイン方法が削除されました: {about}',
    ...NOT_ME,
  },
  recovery_code_used: {
    subject: '{service} で復旧コードが使われました',
    text: '{service} のアカウントに、復旧コードでログインがありました。そのコードはもう使えません。',
    ...NOT_ME,
  },
  codes_guessed: {
    subject: '{service} で誰かがコードを推測しています',
    text: '{service} のアカウントに、正しいパスワードと、何度も間違ったコードが入力されました。推測を防ぐため、アプリのコードは使えなくなりました。新しいパスワードを設定し、復旧コードでログインして、アプリをもう一度設定してください。',
    ...NOT_ME,
  },
  test: {
    subject: '{service} のテスト',
    text: '{service} の管理者が、メールが届くか確かめるためにこのメールを送りました。何もする必要はありません。',
  },
}

/** What notices are about. */
export const ABOUT_JA: MailAbout = {
  passkey: 'パスキー',
  provider: '他のサービスのアカウントとの連携',
  totp: '認証アプリのコード',
  recovery: '復旧コード',
  all: '管理者がパスワード以外をすべてリセット',
}
