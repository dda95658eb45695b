import { describe, expect, it } from 'vitest';
import { apiRequestCode, MEDIA_ANSWER_CODE, UPLOADS_ORIGIN } from '../../lib/features/edge-functions.ts';
import { ofType, resourcesOf } from './synthesized.ts';

interface EdgeRequest {
  readonly method: string;
  readonly uri: string;
  readonly headers: Readonly<Record<string, { value: string }>>;
}

/** Runs the code of a function at the edge as CloudFront does, and notes the origin it chooses. */
function atEdge(code: string, event: object) {
  const chosen: string[] = [];
  const cf = { selectRequestOriginById: (id: string) => chosen.push(id) };
  const body = code.replace("import cf from 'cloudfront';", '');
  const result = new Function('cf', 'event', `${body}\nreturn handler(event);`)(cf, event);
  return { chosen, result };
}

function asked(hasUploadGateway: boolean, type: string, bytes: number, uri = '/api/v1/media') {
  const headers = { 'content-type': { value: type }, 'content-length': { value: String(bytes) } };
  const request: EdgeRequest = { method: 'POST', uri, headers };
  return { request, ...atEdge(apiRequestCode({ basePath: '/api/v1', hasUploadGateway }), { request }) };
}

const FORM = 'Multipart/Form-Data; boundary=x';
const MIB = 1024 * 1024;

describe('the edge', () => {
  it('sends forms with files to the upload gateway, and all else to the API', () => {
    const form = asked(true, FORM, 16 * MIB);
    const json = asked(true, 'application/json', 100);
    const elsewhere = asked(true, FORM, 100, '/api/v1/posts');

    expect(form).toMatchObject({ chosen: [UPLOADS_ORIGIN], result: form.request });
    expect(json).toMatchObject({ chosen: [], result: json.request });
    expect(elsewhere.chosen).toEqual([]);
  });

  it.each([
    ['a form above 16 MB', asked(true, FORM, 16 * MIB + 1)],
    ['a form above what a function takes, without a gateway', asked(false, FORM, 5 * MIB)],
    ['JSON above what functions take', asked(true, 'application/json', 6 * MIB)],
  ])('refuses %s in the API’s own words, and names the other way', (_, { result, chosen }) => {
    expect(result.statusCode).toBe(413);
    expect(JSON.parse(result.body.data).error).toMatchObject({
      code: 'payload_too_large',
      message: expect.stringContaining('/api/v1/media/upload-url'),
    });
    expect(chosen).toEqual([]);
  });

  it('has saved what is not an image or a video', () => {
    const answer = (type: string) =>
      atEdge(MEDIA_ANSWER_CODE, { response: { headers: { 'content-type': { value: type } } } }).result
        .headers;

    expect(answer('image/jpeg')).not.toHaveProperty('content-disposition');
    expect(answer('video/mp4')).not.toHaveProperty('content-disposition');
    for (const type of ['text/html', 'image/svg+xml', 'application/pdf']) {
      expect(answer(type)).toMatchObject({ 'content-disposition': { value: 'attachment' } });
    }
  });
});

describe.each(['dev', 'production'] as const)('the public host of %s', (stage) => {
  const resources = resourcesOf(stage);
  const [distribution] = ofType(resources, 'AWS::CloudFront::Distribution');
  const {
    DefaultCacheBehavior: api,
    CacheBehaviors,
    Origins,
  } = distribution?.Properties.DistributionConfig ?? {};
  const media = CacheBehaviors.find(({ PathPattern }: { PathPattern: string }) => PathPattern === '/media/*');

  it('passes the API on without its cache, and serves media to https readers alone', () => {
    // Managed policies: CachingDisabled, CachingOptimized (CloudFront developer guide).
    expect(api.CachePolicyId).toBe('4135ea2d-6df8-44a3-9df3-4b5a84be39ad');
    expect(media.CachePolicyId).toBe('658327ea-f89d-4fab-a63d-7e88639e58f6');
    expect(media.AllowedMethods ?? ['GET', 'HEAD']).not.toContain('PUT');
    for (const behavior of [api, media]) expect(behavior.ViewerProtocolPolicy).toBe('https-only');
  });

  it('reads the bucket by its own identity, and tells browsers to trust types and run nothing', () => {
    const origin = Origins.find(({ Id }: { Id: string }) => Id === media.TargetOriginId);
    const [policy] = ofType(resources, 'AWS::CloudFront::ResponseHeadersPolicy');
    const { SecurityHeadersConfig } = policy?.Properties.ResponseHeadersPolicyConfig ?? {};

    expect(origin.OriginAccessControlId).toBeDefined();
    expect(SecurityHeadersConfig.ContentTypeOptions).toEqual({ Override: true });
    expect(SecurityHeadersConfig.ContentSecurityPolicy.ContentSecurityPolicy).toContain('sandbox');
  });
});

describe('the upload gateway', () => {
  const production = resourcesOf('production');
  const [distribution] = ofType(production, 'AWS::CloudFront::Distribution');

  it('is there in production alone, as an origin by the name the edge chooses', () => {
    const { Origins } = distribution?.Properties.DistributionConfig ?? {};

    expect(Origins.map(({ Id }: { Id: string }) => Id)).toContain(UPLOADS_ORIGIN);
    expect(ofType(resourcesOf('dev'), 'AWS::ECS::Service')).toEqual([]);
  });

  it('cannot be reached but through CloudFront', () => {
    const balancers = ofType(production, 'AWS::ElasticLoadBalancingV2::LoadBalancer');

    expect(balancers.map(({ Properties }) => Properties.Scheme)).toEqual(['internal']);
  });
});
