import type { CredentialVault } from './credential-vault.ts';

/** A vault that opens each ciphertext once: for one piece of work, whose steps need the same credentials. */
export function rememberingVault(vault: CredentialVault): CredentialVault {
  const opened = new Map<string, Promise<unknown>>();
  return {
    ...vault,
    open(sealed, owner) {
      const name = Buffer.from(sealed).toString('base64');
      const opening = opened.get(name) ?? vault.open(sealed, owner);
      opened.set(name, opening);
      // A failure is not remembered: the next step may find the vault well again.
      opening.catch(() => opened.delete(name));
      return opening;
    },
  };
}
