import manifest from '../package.json' with { type: 'json' }

/** The version of Muster. */
export const { version } = manifest
