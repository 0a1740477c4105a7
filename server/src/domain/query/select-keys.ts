/** Only these keys of an object, in their order; without keys, all. */
export const selectKeys = (object: object, keys: readonly string[] | undefined): object =>
  keys
    ? Object.fromEntries(
        keys
          .filter((key) => Object.hasOwn(object, key))
          .map((key) => [key, (object as Record<string, unknown>)[key]]),
      )
    : object
