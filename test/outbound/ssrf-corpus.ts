/** Spellings of hosts and ranges that must never be dialled, gathered from published bypasses and from Node's own URL parser. */

/** IPv4 spellings and the host that Node's URL makes of them. */
export const IPV4_SPELLINGS: readonly (readonly [raw: string, host: string])[] = [
  ['https://2130706433/', '127.0.0.1'],
  ['https://0x7f000001/', '127.0.0.1'],
  ['https://017700000001/', '127.0.0.1'],
  ['https://0177.0.0.1/', '127.0.0.1'],
  ['https://0x7f.0x0.0x0.0x1/', '127.0.0.1'],
  ['https://127.1/', '127.0.0.1'],
  ['https://127.0.1/', '127.0.0.1'],
  ['https://00000000177.1/', '127.0.0.1'],
  ['https://127.0.0.1./', '127.0.0.1'],
  ['https://127.0.0.1../', '127.0.0.1..'],
  ['https://127%2e0%2e0%2e1/', '127.0.0.1'],
  ['https://127。0。0。1/', '127.0.0.1'],
  ['https://１２７.０.０.１/', '127.0.0.1'],
  ['https://①②⑦.⓪.⓪.①/', '127.0.0.1'],
  ['https://0/', '0.0.0.0'],
  ['https://0x/', '0.0.0.0'],
  ['https://0x.0x.0/', '0.0.0.0'],
  ['https://127.127.127.127/', '127.127.127.127'],
  ['https://169.254.169.254/', '169.254.169.254'],
  ['https://2852039166/', '169.254.169.254'],
  ['https://0xa9fea9fe/', '169.254.169.254'],
  ['https://169.254.43518/', '169.254.169.254'],
  ['https://169.16689662/', '169.254.169.254'],
  ['https://0251.0376.0251.0376/', '169.254.169.254'],
  ['https://0xA9.0xFE.0xA9.0xFE/', '169.254.169.254'],
  ['https://192.168.0.0x1/', '192.168.0.1'],
];

/** Looks like 10.0.0.1 to a careless reader; it is a public address and judged as that. */
export const OCTAL_TRAP = ['https://010.0.0.1/', '8.0.0.1'] as const;

/** Hosts that no URL may have. */
export const UNPARSABLE: readonly string[] = [
  'https://256.256.256.256/',
  'https://4294967296/',
  'https://0x100000000/',
  'https://1.2.3.4.5/',
  'https://08.0.0.1/',
  'https://127.0.0.1.5/',
  'https://[fe80::1%25eth0]/',
  'https://[fe80::1%eth0]/',
  'https://[127.0.0.1]/',
  'https://[::ffff:0x7f.1]/',
  'https://[::1]./',
  'https://127.0.0.1%00.example.com/',
  'https://example.com%00.internal/',
  'https://example.com:65536/',
  'https://127.0.0.1:443:80/',
];

/** First and last address of each range that is not public, and single addresses with a meaning of their own. */
export const PRIVATE_IPV4: readonly string[] = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.255.255.255
  169.254.0.0 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.0 192.0.2.255
  192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255
  203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255
  169.254.169.254 169.254.170.2 169.254.170.23 169.254.100.1 127.0.0.1 100.100.100.200 192.0.0.192 168.63.129.16
`
  .trim()
  .split(/\s+/);

/** One beyond each edge: these are public. */
export const PUBLIC_IPV4: readonly string[] = `
  1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
  172.15.255.255 172.32.0.0 192.0.1.0 192.88.98.255 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
  223.255.255.255 8.8.8.8 93.184.216.34
`
  .trim()
  .split(/\s+/);

/** IPv6 addresses that are not public, carry an IPv4 address, or are reserved. */
export const PRIVATE_IPV6: readonly string[] = `
  ::1 0:0:0:0:0:0:0:1 :: ::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:169.254.169.254 ::127.0.0.1
  ::ffff:0:127.0.0.1 64:ff9b::169.254.169.254 64:ff9b::808:808 64:ff9b:1::a9fe:a9fe 2002:7f00:1:: 2002:c0a8:1::1
  2002:808:808::1 2001:0:7f00:1:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1
  3fff::1 5f00::1 100::1 fc00::1 fd00::1 fdff:ffff::1 fd00:ec2::254 fd00:ec2::23 fe80::1 fe90::1 febf:ffff::1
  fec0::1 ff02::1 ff0e::1 ::7f00:1 ::ffff:0:7f00:1 4000::1 ::2
`
  .trim()
  .split(/\s+/);

/** These are public. */
export const PUBLIC_IPV6: readonly string[] = [
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450::1',
];

/** Not addresses at all, though some parsers read them as one. */
export const NOT_ADDRESSES: readonly string[] = [
  '127.1',
  '0x7f.1',
  '2130706433',
  '017700000001',
  'fe80::1%eth0',
  '',
  'a',
];

/** Host names that must not even be resolved. */
export const PRIVATE_NAMES: readonly string[] = [
  ...`localhost LOCALHOST localhost. localhost%2e ⓛⓞⓒⓐⓛⓗⓞⓢⓣ foo.localhost localhost.localdomain ip6-localhost
  ip6-loopback broadcasthost host.docker.internal gateway.docker.internal kubernetes.default.svc metadata
  metadata.google.internal metadata.google.internal. instance-data metadata.azure.internal db api internal intranet
  x.local x.internal x.intranet x.corp x.home x.lan x.home.arpa x.test x.invalid x.example x.onion x.arpa . ... a..b
  -a.example -a.example.com a-.example.com xn--example.com`
    .trim()
    .split(/\s+/),
  `${'a'.repeat(64)}.com`,
  `${'a.'.repeat(125)}com.a`,
];

/** Names anyone can register that lead inside: they pass as names and are refused by what they resolve to. */
export const NAMES_LEADING_INSIDE: Readonly<Record<string, string>> = {
  '127.0.0.1.nip.io': '127.0.0.1',
  '169-254-169-254.sslip.io': '169.254.169.254',
  'localtest.me': '127.0.0.1',
  'lvh.me': '127.0.0.1',
  'vcap.me': '127.0.0.1',
  'mapped.attacker.com': '::ffff:7f00:1',
  'nat64.attacker.com': '64:ff9b::a9fe:a9fe',
  'zero.attacker.com': '0.0.0.0',
};

/** Texts that parsers read in different ways, schemes other than https, and ports other than 443. */
export const CONFUSING_URLS: readonly string[] = [
  'https://example.com@127.0.0.1/',
  'https://example.com:443@127.0.0.1/',
  'https://user:pw@example.com/',
  'https://@example.com/',
  'https://:@example.com/',
  'https://127.0.0.1#@example.com/',
  'https://example.com\\@127.0.0.1/',
  'https://127.0.0.1\\@example.com/',
  'https:\\\\127.0.0.1/',
  'https:/127.0.0.1/',
  'https:127.0.0.1/',
  'https:///127.0.0.1/',
  'https:\\\\example.com/',
  'https:/example.com/',
  'https:example.com/',
  'https:///example.com/',
  '  https://127.0.0.1/',
  'https://127.0.0.1\t/',
  'ht\ntps://127.0.0.1/',
  'https://127.0.\n0.1/',
  '  https://example.com/',
  'https://example.com\t/',
  'ht\ntps://example.com/',
  'https://example.com/a\tb',
  'https://example.com/a b',
  'https://example.com/a\\b',
  'https://exa\u00admple.com/',
  'https://exa\u200dmple.com/',
  'https://exämple.com/',
  ...[22, 0, 25, 80, 6379, 9001, 8443].map((port) => `https://example.com:${port}/`),
  'http://example.com/',
  'HTTP://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'dict://example.com/',
  'ldap://example.com/',
  'data:image/png;base64,AA==',
  'blob:https://example.com/1',
  'javascript:alert(1)',
  'jar:https://example.com/!/',
  'ws://example.com/',
  'unix:/tmp/s',
  `https://example.com/${'a'.repeat(8192)}`,
  `https://example.com/${'a'.repeat(2049 - 20)}`,
  '',
  'example.com',
  '//example.com/',
];

/** What must get through, for the guard to be of use. */
export const PUBLIC_URLS: readonly string[] = [
  'https://example.com/',
  'HTTPS://EXAMPLE.COM/path?q=1#f',
  'https://example.com.:443/',
  'https://example.com:443/hook?a=b@c',
  'https://sub-domain.example.co.uk/фото.jpg',
  'https://xn--exmple-cua.com/',
  'https://my_app.example.com/',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  `https://example.com/${'a'.repeat(2048 - 20)}`,
];

/** Everything above that must be refused before a name is resolved. */
export const REFUSED_URLS: readonly string[] = [
  ...IPV4_SPELLINGS.map(([raw]) => raw),
  ...UNPARSABLE,
  ...PRIVATE_IPV4.map((address) => `https://${address}/`),
  ...PRIVATE_IPV6.map((address) => `https://[${address}]/`),
  ...PRIVATE_NAMES.map((name) => `https://${name}/`),
  ...CONFUSING_URLS,
];
