import assert from 'node:assert/strict'
import { test } from 'node:test'
import { osTypeOf } from './os-type.ts'

test('an operating system has a type by its name, and an unknown one has none', () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    Windows: ['windows2019srv_64Guest', 'winNetEnterpriseGuest', 'microsoft.com/win/2k19'],
    FreeBSD: ['freebsd13_64Guest', 'FreeBSD 14.1-RELEASE-amd64', 'freebsd.org/freebsd/13.1'],
    OpenBSD: ['openbsd.org/openbsd/7'],
    VMware: ['vmkernel8Guest', 'vmware.com/esxi/7.0', 'VMware ESXi 8'],
    macOS: ['darwin21_64Guest', 'apple.com/macosx/10.7'],
    Solaris: ['solaris11_64Guest', 'oracle.com/solaris/11'],
    Linux: [
      'vmwarePhoton64Guest',
      'rhel9_64Guest',
      'other5xLinux64Guest',
      'sles15_64Guest',
      'crxPod1Guest',
      'asianux4_64Guest',
      'Ubuntu 22.04',
      'arch',
      'libosinfo.org/linux/2022',
      'oracle.com/ol/9',
    ],
    '': ['', 'otherGuest64', 'dosGuest', 'netware6Guest', 'os2Guest', 'haiku-os.org/haiku/r1', 'x'],
  }
  for (const [type, names] of Object.entries(expected)) {
    for (const name of names) assert.equal(osTypeOf(name), type, name)
  }
})
