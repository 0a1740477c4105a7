import { plural } from './plural.ts'

/** Second factors of users: on their own pages, and for administrators. */
export const factors = {
  lead: 'With a second factor, nobody can log in with your password alone. Your access keys do not ask for it.',
  none: 'No second factor yet',
  noneText:
    'Add an authenticator app on your phone or in your password manager. Logins with your password then ask for its code.',
  caption: 'Second factors',
  name: 'Name',
  type: 'Authenticator app',
  added: 'Added',
  lastUsed: 'Last used',
  neverUsed: 'never',
  unconfirmed: 'Not confirmed. Logins do not ask for it.',
  add: 'Add an authenticator app',
  nameHint: 'For example, which phone it is on',
  continue: 'Continue',
  scanTitle: 'Scan the QR code',
  scanText:
    'Scan it with your authenticator app, or type the secret into the app. Then enter the code that the app shows.',
  qrCode: 'QR code of the secret',
  secret: 'Secret',
  confirm: 'Confirm',
  wrongCode: 'The code is wrong. Check the clock of the device, and enter the next code.',
  confirmed: (name: string) => `Logins now ask for a code of ${name}`,
  rename: 'Rename',
  renameOf: (name: string) => `Rename ${name}`,
  renamed: 'Renamed',
  delete: 'Delete',
  deleteOf: (name: string) => `Delete ${name}`,
  deleteText: 'Logins no longer accept its codes.',
  deleteLastText:
    'This is your last second factor. Logins then need only your password, and your recovery codes end.',
  deleted: (name: string) => `${name} deleted`,
  problem: (label: string, problem: string) => `${label} ${problem}`,
  recoveryCodes: 'Recovery codes',
  recoveryText:
    'If you lose your device, log in with a recovery code instead of the code of the app. Each works once.',
  codesLeft: (count: string) => `${plural(count, 'recovery code', 'recovery codes')} left`,
  fewCodes:
    'Replace them before you run out. Without codes, an administrator has to reset your second factors.',
  noCodes: 'They come with the first second factor.',
  replaceCodes: 'Replace recovery codes',
  replaceText: 'Makes new codes. The old ones stop working immediately.',
  codesTitle: 'Your recovery codes',
  codesWarning:
    'The codes are shown only once. Store them where you find them without your device.',
  copyCodes: 'Copy all codes',
  downloadCodes: 'Download',
  codesFile: 'Recovery codes of Muster',
  enrolTitle: 'Add a second factor',
  enrolText:
    'Your domain or one of your roles requires a second factor. Add an authenticator app to continue.',
  verifyTitle: 'Enter a code',
  verifyText: 'You have added a second factor since this login. Enter a code of it to continue.',
  freshText:
    'This action needs a code of your second factor. It is repeated when the code is right.',
  resetNotice: (by: string, time: string) =>
    `${by} removed your second factors on ${time}. If you did not ask for it, change your password and tell an administrator.`,
  toFactors: 'Add a second factor',
  dismiss: 'Dismiss',
  ofUserNone: 'No second factor.',
  lastReset: (by: string) => `Last reset by ${by}`,
  reset: 'Reset second factors',
  resetOf: (name: string) => `Reset the second factors of ${name}`,
  resetText: (user: string, names: string) =>
    `Removes ${names} and the recovery codes, and ends all sessions and tokens of ${user}. Afterwards the password alone is enough to log in. ${user} sees your name and the time.`,
  resetCheck: 'Make sure that the request really comes from this user, for example by a call.',
  resetDone: (name: string) => `Second factors of ${name} removed`,
  resetNothing: 'The user has no second factor',
  resetOwn: 'You cannot reset your own. Delete them in your profile.',
}
