import { Card } from '../../parts/card.tsx';
import { Snippets } from '../../parts/snippets.tsx';

/** Shown in the place of a key that is not known here. */
const PLACEHOLDER = '<your key>';

/** How a program uploads, with the address of this service and the key, if it was issued here. */
export function ProgramCard({ apiKey }: { readonly apiKey: string }) {
  const key = apiKey === '' ? PLACEHOLDER : apiKey;
  const { origin } = window.location;
  return (
    <Card title="Use it in a program">
      <p>
        Each uploads <code>hello.txt</code>.
        {apiKey === '' ? ' Put your key in its place; a key issued above is filled in.' : ''}
      </p>
      <Snippets
        label="Use it in a program"
        choices={[
          { title: 'curl', texts: [curlText(origin, key)] },
          { title: 'JavaScript', texts: [javaScriptText(origin, key)] },
          { title: 'srs', texts: [srsText(origin, key)] },
        ]}
      />
    </Card>
  );
}

function curlText(origin: string, key: string): string {
  return `printf hello > hello.txt
answer=$(curl -sf ${origin}/v1/upload/init \\
  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
  -d '{"fileName":"hello.txt","contentType":"text/plain","fileSizeBytes":5,"priority":"hot"}')
curl -sf -T hello.txt -H 'Content-Type: text/plain' "$(echo "$answer" | jq -r .presignedUrl)"
curl -sf ${origin}/v1/upload/complete \\
  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
  -d "{\\"fileId\\":$(echo "$answer" | jq .fileId)}"`;
}

function javaScriptText(origin: string, key: string): string {
  return `import { createClient } from '@storage-routing/client';

const client = createClient({ baseUrl: '${origin}', apiKey: '${key}' });
const file = await client.upload({ source: 'hello.txt', contentType: 'text/plain' });
console.log(file.fileId, file.provider);`;
}

function srsText(origin: string, key: string): string {
  return `export SRS_BASE_URL='${origin}' SRS_API_KEY='${key}'
printf hello > hello.txt
srs put hello.txt`;
}
