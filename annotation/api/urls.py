from django.urls import path

from . import candidates, evidence, harvests, merges, practice, releases, reviews, searches, work, workload

urlpatterns = [
    # Annotating
    path("assignments/", work.Assignments.as_view(), name="assignments"),
    path("assignments/next/", work.AssignmentsNext.as_view(), name="assignments_next"),
    path("annotations/<row:pk>/", work.OwnAnnotation.as_view(), name="annotation"),
    path("annotations/<row:pk>/draft/", work.AnnotationDraft.as_view(), name="annotation_draft"),
    path("annotations/<row:pk>/submit/", work.AnnotationSubmit.as_view(), name="annotation_submit"),
    path("annotations/<row:pk>/renew/", work.AnnotationRenew.as_view(), name="annotation_renew"),
    path("annotations/<row:pk>/skip/", work.AnnotationSkip.as_view(), name="annotation_skip"),
    path("annotations/<row:pk>/flag/", work.AnnotationFlag.as_view(), name="annotation_flag"),
    path("annotations/<row:pk>/ask/", work.AnnotationAsk.as_view(), name="annotation_ask"),
    path("annotations/<row:pk>/hand-back/", work.AnnotationHandBack.as_view(), name="annotation_hand_back"),
    path("annotations/<row:pk>/reopen/", work.AnnotationReopen.as_view(), name="annotation_reopen"),
    path("annotations/<row:pk>/resume/", work.AnnotationResume.as_view(), name="annotation_resume"),
    path("annotations/<row:pk>/evidence/", evidence.OwnEvidence.as_view(), name="annotation_evidence"),
    # Talking about it
    path("annotations/<row:pk>/comments/", reviews.Comments.as_view(), name="comments"),
    path("questions/", reviews.Questions.as_view(), name="questions"),
    path("comments/<row:pk>/resolve/", reviews.CommentResolve.as_view(), name="comment_resolve"),
    path("comments/<row:pk>/reopen/", reviews.CommentReopen.as_view(), name="comment_reopen"),
    path("comments/<row:pk>/answer/", reviews.CommentAnswer.as_view(), name="comment_answer"),
    # Reviewing
    path("reviews/", reviews.Reviews.as_view(), name="reviews"),
    path("reviews/next/", reviews.ReviewsNext.as_view(), name="reviews_next"),
    path("reviews/<row:pk>/", reviews.Review.as_view(), name="review"),
    path("reviews/<row:pk>/merge/", merges.ReviewMerge.as_view(), name="review_merge"),
    path("reviews/<row:pk>/accept/", reviews.ReviewAccept.as_view(), name="review_accept"),
    path("reviews/<row:pk>/return/", reviews.ReviewReturn.as_view(), name="review_return"),
    path("reviews/<row:pk>/exclude/", reviews.ReviewExclude.as_view(), name="review_exclude"),
    path("reviews/<row:pk>/reconsider/", reviews.ReviewReconsider.as_view(), name="review_reconsider"),
    path("reviews/<row:pk>/evidence/", evidence.ReviewedEvidence.as_view(), name="review_evidence"),
    path("disagreements/", reviews.Disagreements.as_view(), name="annotator_disagreements"),
    # Harvests and files
    path("harvests/", harvests.Harvests.as_view(), name="harvests"),
    path("harvests/files/", harvests.HarvestFiles.as_view(), name="harvest_files"),
    path("harvests/<row:pk>/", harvests.OneHarvest.as_view(), name="harvest"),
    path("harvests/<row:pk>/cancel/", harvests.HarvestCancel.as_view(), name="harvest_cancel"),
    path("harvests/<row:pk>/resume/", harvests.HarvestResume.as_view(), name="harvest_resume"),
    path("imports/annotations/", harvests.ImportAnnotations.as_view(), name="import_annotations"),
    # Practice runs
    path("practice/attempts/", practice.PracticeAttempts.as_view(), name="practice_attempts"),
    # Quotas and deadlines
    path("workload/", workload.Workloads.as_view(), name="workload"),
    path("people/<row:pk>/quota/", workload.QuotaDoor.as_view(), name="workload_quota"),
    # Untagged contradictions
    path("candidates/", candidates.Candidates.as_view(), name="untagged"),
    path("candidates/change/", candidates.CandidatesChange.as_view(), name="untagged_change"),
    path("candidates/searches/", searches.Searches.as_view(), name="searches"),
    path("candidates/searches/files/", searches.SearchFiles.as_view(), name="search_files"),
    path("candidates/searches/<uuid:key>/", searches.OneSearch.as_view(), name="search"),
    path("candidates/searches/<uuid:key>/cancel/", searches.SearchCancel.as_view(), name="search_cancel"),
    # Tags and releases
    path("tags/", releases.Tags.as_view(), name="tags"),
    path("tags/change/", releases.TagsChange.as_view(), name="tags_change"),
    path("tags/changes/<row:pk>/undo/", releases.TagsUndo.as_view(), name="tags_undo"),
    path("tags/<row:pk>/", releases.OneTag.as_view(), name="tag"),
    path("annotations/", releases.Annotations.as_view(), name="annotations"),
    path("releases/", releases.Releases.as_view(), name="releases"),
    path("releases/<row:number>/", releases.OneRelease.as_view(), name="release"),
    path("releases/<row:number>/instances/", releases.ReleaseInstances.as_view(), name="release_instances"),
    path("releases/<row:number>/records/", releases.ReleaseRecords.as_view(), name="release_records"),
]
