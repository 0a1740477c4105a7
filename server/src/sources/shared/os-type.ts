/** Distributions of Linux that do not have it in their names. Short names must be whole words. */
const distributions =
  /ubuntu|debian|fedora|centos|red ?hat|rhel|suse|\bsle[sd]?(?![a-z])|rocky|amazon|amzn|\bal20\d\d|bottlerocket|asianux|coreos|flatcar|mandr|^crx|photon|gentoo|alpine|\barch\b|cirros|nixos|manjaro|mageia|gnome|\bol\b|openeuler|slackware|kali|proxmox/i

/** Families of operating systems, in names, ids and descriptions. The first match applies. */
const families: readonly (readonly [RegExp, string])[] = [
  [/windows|^win|microsoft/i, 'Windows'],
  [/freebsd/i, 'FreeBSD'],
  [/openbsd/i, 'OpenBSD'],
  [/netbsd/i, 'NetBSD'],
  [/linux/i, 'Linux'],
  [distributions, 'Linux'],
  [/vmkernel|vmware|\besxi?\b/i, 'VMware'],
  [/darwin|mac ?os|apple/i, 'macOS'],
  [/solaris|sunos/i, 'Solaris'],
]

/** The value of `os_type` for a name of an operating system; empty if it is not known. */
export const osTypeOf = (name: string): string =>
  families.find(([form]) => form.test(name))?.[1] ?? ''
