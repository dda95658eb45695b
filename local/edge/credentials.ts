import { createHmac, randomBytes } from 'node:crypto';
import type { Principal } from './principals.ts';
import { secretFile } from './secret-file.ts';

/** An access key as the AWS SDK takes it. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Who is behind an access key id, and the secret that proves it. */
export interface Identity {
  readonly principal: Principal;
  /** The worker that calls, where a principal has several. */
  readonly instance: string;
  readonly credentials: Credentials;
}

/** Issues access keys and knows them again, also after a restart. */
export interface KeyRing {
  credentialsFor(principal: string, instance?: string): Credentials;
  identify(accessKeyId: string): Identity | undefined;
  principal(idOrName: string): Principal | undefined;
}

const PREFIX = 'AKIA';

/**
 * An access key id spells its owner (`AKIA<principal>_<instance>`), and its secret is derived from it by
 * the state directory's own secret: nothing is stored per key, and a URL signed before a restart stays good.
 */
export function keyRing(principals: readonly Principal[], stateDirectory: string): KeyRing {
  const secret = secretFile(stateDirectory, 'edge-secret', () => randomBytes(32));
  const byId = new Map(principals.map((principal) => [principal.id, principal]));
  const byName = new Map(principals.map((principal) => [principal.name, principal]));
  const known = new Map<string, Identity>();

  const identify = (accessKeyId: string): Identity | undefined => {
    const seen = known.get(accessKeyId);
    if (seen !== undefined) return seen;
    const [id = '', instance = ''] = accessKeyId.slice(PREFIX.length).split('_');
    const principal = byId.get(id);
    if (principal === undefined || accessKeyId !== accessKeyIdOf(id, instance)) return undefined;
    const secretAccessKey = createHmac('sha256', secret).update(accessKeyId).digest('base64url').slice(0, 40);
    const identity = { principal, instance, credentials: { accessKeyId, secretAccessKey } };
    known.set(accessKeyId, identity);
    return identity;
  };
  const principal = (idOrName: string) => byId.get(idOrName) ?? byName.get(idOrName);

  return {
    identify,
    principal,
    credentialsFor(idOrName, instance = '') {
      const owner = principal(idOrName);
      const identity = owner && identify(accessKeyIdOf(owner.id, instance));
      if (identity === undefined)
        throw new Error(`no principal "${idOrName}" with an instance "${instance}"`);
      return identity.credentials;
    },
  };
}

function accessKeyIdOf(id: string, instance: string): string {
  return instance === '' ? `${PREFIX}${id}` : `${PREFIX}${id}_${instance}`;
}
