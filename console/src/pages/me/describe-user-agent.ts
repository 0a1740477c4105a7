interface Program {
  readonly browser: string
  readonly system: string
}

/** Order matters: most browsers also claim to be Safari. */
const browsers: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\b(?:OPR|Opera)\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//],
  ['curl', /^curl\/(\d+)/],
]

const systems: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]

/** The browser and system of a user agent; empty if unknown. */
export function describeUserAgent(userAgent: string): Program {
  const system = systems.find(([, sign]) => sign.test(userAgent))?.[0] ?? ''
  for (const [name, sign] of browsers) {
    const [, version] = sign.exec(userAgent) ?? []
    if (version !== undefined) return { browser: `${name} ${version}`, system }
  }
  return { browser: '', system }
}
