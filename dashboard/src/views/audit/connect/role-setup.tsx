import { useState } from 'react';
import { ActionButton } from '../../../parts/action-button.tsx';
import { Choice } from '../../../parts/choice.tsx';
import { TextInput } from '../../../parts/text-input.tsx';
import { download } from '../download.ts';
import { permissionsPolicy } from './permissions.ts';
import {
  createExternalId,
  deployCommand,
  isAccountId,
  ROLE_NAME,
  roleTemplate,
  TEMPLATE_NAME,
  trustPolicy,
  type Trust,
} from './role.ts';
import { Snippet } from '../../../parts/snippet.tsx';
import type { Draft } from './use-draft.ts';

/** The page has no template in a bucket, which a link that fills in the template would need. */
const NEW_STACK = 'https://console.aws.amazon.com/cloudformation/home#/stacks/create';
const NEW_ROLE = 'https://console.aws.amazon.com/iam/home#/roles/create?trustedEntityType=CUSTOM';

interface RoleSetupProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The role, made for this account: nothing is left to fill in. */
export function RoleSetup({ draft, onChange }: RoleSetupProps) {
  const [way, setWay] = useState<'cloudformation' | 'by_hand'>('cloudformation');
  const serviceAccountId = draft.serviceAccountId.trim();
  const trust = { serviceAccountId, externalId: draft.externalId.trim() };
  return (
    <div className="form wide-form">
      <TextInput
        label="AWS account of the service"
        hint="12 digits. The operator of the service tells you."
        value={draft.serviceAccountId}
        onChange={(value) => onChange({ serviceAccountId: value })}
      />
      <TextInput
        label="External id"
        hint="Made in this browser, for this connection only. The role lets nobody in who does not know it."
        value={draft.externalId}
        onChange={(externalId) => onChange({ externalId })}
      />
      <div className="actions">
        <ActionButton onPress={() => onChange({ externalId: createExternalId() })}>
          Make another external id
        </ActionButton>
      </div>
      <Choice
        label="How"
        value={way}
        options={[
          { value: 'cloudformation', title: 'With CloudFormation' },
          { value: 'by_hand', title: 'By hand, with two policies' },
        ]}
        onChange={setWay}
      />
      {isAccountId(serviceAccountId) ? (
        way === 'cloudformation' ? (
          <CloudFormation trust={trust} />
        ) : (
          <ByHand trust={trust} />
        )
      ) : (
        <p className="quiet" role="status">
          The template and the policies are shown here as soon as the account of the service has its
          12 digits.
        </p>
      )}
    </div>
  );
}

function CloudFormation({ trust }: { readonly trust: Trust }) {
  const template = roleTemplate(trust);
  return (
    <div className="steps">
      <div className="block">
        <p>
          Download the template. It holds the account of the service and your external id already.
        </p>
        <ActionButton
          kind="primary"
          onPress={() => download(TEMPLATE_NAME, 'application/yaml', template)}
        >
          Download the template
        </ActionButton>
      </div>
      <div className="block">
        <p>
          Then <External href={NEW_STACK}>create a stack in the AWS console</External> (upload the
          template, keep the parameters, and confirm that it creates a role with a name), or run
          this in the folder of the template. Both show the ARN of the role in the end.
        </p>
        <Snippet text={deployCommand()} label="Copy the commands" />
      </div>
      <details>
        <summary>Show the template</summary>
        <Snippet text={template} label="Copy the template" />
      </details>
    </div>
  );
}

function ByHand({ trust }: { readonly trust: Trust }) {
  return (
    <div className="steps">
      <div className="block">
        <p>
          <External href={NEW_ROLE}>Create a role in the AWS console</External> with this custom
          trust policy, and name it <code>{ROLE_NAME}</code> or as you like.
        </p>
        <Snippet text={pretty(trustPolicy(trust))} label="Copy the trust policy" />
      </div>
      <div className="block">
        <p>Then add this as an inline policy of the role.</p>
        <Snippet text={pretty(permissionsPolicy())} label="Copy the permissions policy" />
      </div>
    </div>
  );
}

function External({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}

function pretty(policy: object): string {
  return JSON.stringify(policy, null, 2);
}
