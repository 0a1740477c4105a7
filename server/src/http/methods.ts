import type { Operation } from '@muster/contract'

/** The methods that an operation's route takes. Under `/v3` PATCH is another word for PUT: Keystone's clients say it. */
export const methodsOf = ({ method, path }: Operation): string[] =>
  method === 'PUT' && path.startsWith('/v3') ? ['PUT', 'PATCH'] : [method]
