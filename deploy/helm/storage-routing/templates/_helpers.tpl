{{/* Every Deployment: its name, values, image, and for a worker the queue. */}}
{{- define "storage-routing.fleets" -}}
{{- $images := .Values.images -}}
{{- $api := dict "name" "api" "values" .Values.api "image" $images.api "at" "api" -}}
{{- $fleets := list $api -}}
{{- range $queue := list "uploads" "scans" "migrations" "webhooks" -}}
{{- $fleets = append $fleets (dict
      "name" (printf "worker-%s" $queue)
      "queue" $queue
      "values" (index $.Values.workers $queue)
      "image" $images.worker
      "at" (printf "workers.%s" $queue)) -}}
{{- end -}}
{{- toJson $fleets -}}
{{- end -}}

{{/* Values that a schema cannot refuse with a message that helps. */}}
{{- define "storage-routing.check" -}}
{{- if not .Values.secrets.name -}}
{{- fail "secrets.name is empty: it names your Secret; README.md has the keys and the command" -}}
{{- end -}}
{{- range include "storage-routing.fleets" . | fromJsonArray -}}
{{- $scaling := .values.autoscaling -}}
{{- if and $scaling.hpa $scaling.keda -}}
{{- $reason := "hpa and keda are both true and would work against each other: set one to false" -}}
{{- fail (printf "%s.autoscaling: %s" .at $reason) -}}
{{- end -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail (printf "%s.autoscaling: minReplicas is above maxReplicas" .at) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "storage-routing.labels" -}}
{ app.kubernetes.io/name: storage-routing, app.kubernetes.io/component: {{ . }} }
{{- end -}}

{{/* A list: the image, and the tag that stands for an empty one. */}}
{{- define "storage-routing.image" -}}
{{- $image := first . -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default (last .) }}
{{- end -}}
{{- end -}}

{{/* Where a server is: its namespace, or its addresses outside the cluster. */}}
{{- define "storage-routing.peers" -}}
{{- range .cidrs }}
- ipBlock: { cidr: {{ . | quote }} }
{{- else }}
- namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: {{ .namespace }} } }
{{- end }}
{{- end -}}

{{/*
Slow, because a worker that is stopped returns its tasks to the queue: the backlog of a queue whose
workers are all busy is 0.
*/}}
{{- define "storage-routing.behavior" -}}
scaleDown:
  stabilizationWindowSeconds: 600
  policies:
    - { type: Pods, value: 1, periodSeconds: 60 }
{{- end -}}
