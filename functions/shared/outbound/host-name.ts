import { domainToUnicode } from 'node:url';

/** Names that lead nowhere public, by themselves or as the last labels: RFC 6761, 6762, 8375, 9476 and what clouds and home routers made of them. */
const PRIVATE_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'svc',
  'test',
  'invalid',
  'example',
  'onion',
  'alt',
  'arpa',
];

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** The longest name DNS can carry, in characters, without its final dot (RFC 1035). */
const MAX_NAME_LENGTH = 253;

/** Whether a lowercase name, without its final dot, could belong to a public host. What it resolves to is checked separately. */
export function isPublicName(name: string): boolean {
  const labels = name.split('.');
  if (name.length > MAX_NAME_LENGTH || labels.length < 2) return false;
  if (!labels.every((label) => LABEL.test(label))) return false;
  if (domainToUnicode(name).split('.').some(isPunycode)) return false; // what cannot be decoded stays as it is
  return !PRIVATE_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
}

function isPunycode(label: string): boolean {
  return label.startsWith('xn--');
}
