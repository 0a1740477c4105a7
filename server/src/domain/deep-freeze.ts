/** Makes plain data unchangeable, all the way down: what is shared must not be anybody's to change. */
export function deepFreeze<Data>(data: Data): Data {
  if (typeof data === 'object' && data !== null && !Object.isFrozen(data)) {
    Object.freeze(data)
    for (const part of Object.values(data)) deepFreeze(part)
  }
  return data
}
