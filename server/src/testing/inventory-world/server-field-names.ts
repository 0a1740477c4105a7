import { servers, type FieldType, type Server } from '@muster/contract'

const namesOf = (...types: FieldType[]) =>
  Object.entries(servers.fields)
    .filter(([, { type }]) => types.includes(type))
    .map(([name]) => name as keyof Server)

/** The names of the scalar fields of a server, by the type of their values. */
export const serverBooleans = namesOf('boolean')
export const serverTimestamps = namesOf('timestamp')
export const serverNumbers = namesOf('number')
export const serverTexts = namesOf('text', 'enum')
