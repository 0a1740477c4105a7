const [comma, zero] = [44, 48]

/** A blob with one byte per number, 1 for the numbers on the list: `5,2` gives 0 1 0 0 1. */
export function serverSet(list: string): Uint8Array {
  let bytes = new Uint8Array(1_024)
  let highest = 0
  let number = 0
  const add = () => {
    if (number > bytes.length) {
      const longer = new Uint8Array(number * 2)
      longer.set(bytes)
      bytes = longer
    }
    bytes[number - 1] = 1
    highest = Math.max(highest, number)
    number = 0
  }
  for (let at = 0; at < list.length; at += 1) {
    const code = list.charCodeAt(at)
    if (code === comma) add()
    else number = number * 10 + code - zero
  }
  if (list !== '') add()
  // SQLite binds an empty blob as NULL.
  return bytes.subarray(0, Math.max(1, highest))
}
