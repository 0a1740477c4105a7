type AnyFunction = (...given: never[]) => unknown

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

/** Tells whether one of the functions is running, or a stream that one returned is being read. */
export function trackUse<Functions extends object>(functions: Functions) {
  let running = 0
  let lastUsed = performance.now()
  const end = () => {
    running -= 1
    lastUsed = performance.now()
  }

  async function* untilEnd(stream: AsyncIterable<unknown>) {
    try {
      yield* stream
    } finally {
      end()
    }
  }

  const track =
    (run: AnyFunction) =>
    async (...given: never[]): Promise<unknown> => {
      running += 1
      try {
        const result = await run(...given)
        if (isStream(result)) return untilEnd(result)
        end()
        return result
      } catch (error) {
        end()
        throw error
      }
    }

  const tracked = Object.fromEntries(
    Object.entries(functions).map(([name, value]) => [
      name,
      typeof value === 'function' ? track(value as AnyFunction) : (value as unknown),
    ]),
  ) as Functions
  return { tracked, isInUse: () => running > 0, lastUsed: () => lastUsed }
}
