export const linkedLogins = {
  loginsLead:
    'Accounts at identity providers with which you can log in as this user. Linking one keeps your roles and access keys. Without a password, your access keys stop working if you have not logged in there for long.',
  linkLogin: 'Link a login',
  linkLoginText:
    'Enter your password, then log in at the identity provider. Afterwards you can log in with either.',
  provider: 'Identity provider',
  goToProvider: 'Continue to the provider',
  noProviders: 'There is no identity provider',
  linkOutcomes: {
    yes: 'The login is linked. You can log in with it.',
    no: 'The login was not linked. It may belong to another user, or the attempt took longer than 10 minutes.',
  },
}
