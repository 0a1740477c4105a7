/** Only for the own user, and not with an access key. */
const ownOnly = {
  home: { notFound: 'others' },
  otherDomain: { notFound: 'others' },
  self: { forbidden: 'adminByKey', allowed: 'others' },
} as const

/** Who may change second factors. */
export const factorRules = {
  createFactor: ownOnly,
  confirmFactor: ownOnly,
  // With the code of a factor that is not confirmed.
  verifyFactor: {
    home: { notFound: 'others' },
    otherDomain: { notFound: 'others' },
    self: { forbidden: 'adminByKey', unauthenticated: 'others' },
  },
  updateFactor: ownOnly,
  deleteFactor: ownOnly,
  replaceRecoveryCodes: {
    home: { notFound: 'others' },
    otherDomain: { notFound: 'others' },
    self: { forbidden: 'adminByKey', conflict: 'others' },
  },
  resetFactors: {
    home: { allowed: 'domainAdmin admin', forbidden: 'others' },
    otherDomain: { allowed: 'admin', notFound: 'domainAdmin', forbidden: 'others' },
  },
} as const
